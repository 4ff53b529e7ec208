import { baseName } from "@ci/manifest/entries";
import type { Manifest } from "@ci/manifest/manifest";
import type { Source } from "@ci/proto/builds/v1/queue";
import type { CommitFacts } from "./facts.js";
import { sameRepository } from "./repository.js";

/** The origin of a build that a repository's hook submitted, or of its restarts. */
export interface Origin extends Partial<CommitFacts> {
  /** The hook delivery and the path of the manifest; absent for a restart. */
  readonly deliveryId?: string;
  readonly path?: string;
  /** Absent from builds that earlier versions made. */
  readonly repositoryId?: number;
  readonly url: string;
  readonly sha: string;
  /** The commit comes from a fork: the build gets no variables, keys or objects. */
  readonly bare: boolean;
  /** The branch or request of the commit. Its newer builds can supersede this one. */
  readonly subject?: string;
  /** Number of the delivery, or of the one that it repeats. Builds of newer changes have higher numbers. */
  readonly order?: number;
}

/** Reports whether git can check out a branch with this name. Otherwise the commit is checked out without a branch. */
const isUsualBranch = (name: string): boolean => !name.startsWith("-") && name !== "HEAD" && !/[\s\p{Cc}]/u.test(name);

const branchOf = ({ ref = "" }: Origin): string | undefined => {
  const [, branch] = /^refs\/heads\/(.+)$/s.exec(ref) ?? [];
  return branch !== undefined && isUsualBranch(branch) ? branch : undefined;
};

/** Checks out the commit in each listed source of the repository without a ref. Adds it as the first source if none is listed. */
export function withOrigin(manifest: Manifest, origin: Origin): Manifest {
  const { url, sha } = origin;
  const { sources } = manifest;
  const branch = branchOf(origin);
  const commit = { ref: sha, ...(branch === undefined ? {} : { branch }) };
  const isListed = (source: Source) => sameRepository(source.url, url);
  if (sources.some(isListed)) {
    const checkedOut = (source: Source) => (source.ref === "" && isListed(source) ? { ...source, ...commit } : source);
    return { ...manifest, sources: sources.map(checkedOut) };
  }
  const directory = baseName(url).replace(/\.git$/, "") || "repository";
  return { ...manifest, sources: [{ url, directory, ...commit }, ...sources] };
}
