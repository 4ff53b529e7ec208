import { baseName } from "@ci/manifest/entries";
import type { Manifest } from "@ci/manifest/manifest";
import type { Source } from "@ci/proto/builds/v1/queue";
import { sameRepository } from "./repository.js";

/** The origin of a build that a repository's hook submitted, or of its restarts. */
export interface Origin {
  /** The hook delivery and the path of the manifest; absent for a restart. */
  readonly deliveryId?: string;
  readonly path?: string;
  readonly url: string;
  readonly sha: string;
  /** The commit comes from a fork: the build gets no variables, keys or objects. */
  readonly bare: boolean;
  /** The branch or request that the commit is of: a newer build of the same one can supersede this one. */
  readonly subject?: string;
  /** The number of the delivery. The build of a higher number is newer. */
  readonly order?: number;
}

/** Adds the repository at its commit as the first source, unless the manifest lists that repository itself. */
export function withOrigin(manifest: Manifest, { url, sha }: Origin): Manifest {
  if (manifest.sources.some((source) => sameRepository(source.url, url))) return manifest;
  const directory = baseName(url).replace(/\.git$/, "") || "repository";
  const source: Source = { url, ref: sha, directory };
  return { ...manifest, sources: [source, ...manifest.sources] };
}
