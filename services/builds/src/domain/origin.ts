import type { Source } from "@ci/proto/builds/v1/queue";
import { baseName } from "./manifest/entries.js";
import type { Manifest } from "./manifest.js";
import { sameRepository } from "./repository.js";

/** Where a build comes from that a repository's hook has made, or that was restarted from one. */
export interface Origin {
  /** The delivery and the manifest in it that the build was made of; a restart has none. */
  readonly deliveryId?: string;
  readonly path?: string;
  /** Clone URL of the repository, and the commit. */
  readonly url: string;
  readonly sha: string;
  /** What strangers wrote: the build is given nothing that is anybody's. */
  readonly bare: boolean;
}

/** The manifest with the repository at its commit as the first source, unless it lists that repository itself. */
export function withOrigin(manifest: Manifest, { url, sha }: Origin): Manifest {
  if (manifest.sources.some((source) => sameRepository(source.url, url))) return manifest;
  const directory = baseName(url).replace(/\.git$/, "") || "repository";
  const source: Source = { url, ref: sha, directory };
  return { ...manifest, sources: [source, ...manifest.sources] };
}
