import { Fault } from "@ci/kit/rpc/fault";
import type { ArtifactDoc, BuildDoc } from "./build.js";
import type { Change } from "./change.js";
import { isHeld } from "./moves.js";
import { uniqueNames } from "./plan.js";

/** A file that has been stored for an entry of the manifest. */
export interface Collected {
  readonly artifactId: number;
  /** For a match of a glob: what was found and the name it wants. */
  readonly source?: string;
  readonly name?: string;
  readonly blobId: string;
  readonly size: number;
  readonly md5: string;
  readonly sha256: string;
}

/**
 * Whether this is the disk of a machine that is kept when its build fails. The job that makes the environment leaves
 * nothing itself: the disk is its entry until the job that has failed leaves it.
 */
export const isKeptDisk = (doc: BuildDoc, { jobId, entry }: ArtifactDoc): boolean =>
  jobId === doc.jobs[0]?.id || entry?.jobId !== undefined;

/** Every entry as it was before anything was collected. */
export function uncollected(doc: BuildDoc): Pick<BuildDoc, "artifacts" | "artifactBytes"> {
  const entries = doc.artifacts.filter((artifact) => artifact.id === artifact.entryId);
  const artifacts = entries.map(({ blobId: _b, size: _s, md5: _m, sha256: _h, entry, ...artifact }) => ({
    ...artifact,
    ...entry,
  }));
  return { artifacts, artifactBytes: undefined };
}

const storedBytes = (artifacts: readonly ArtifactDoc[]): number =>
  artifacts.reduce((sum, { size = 0 }) => sum + size, 0);

/** Takes the content of these artifacts of a finished build, unless it is pinned; their records stay. */
export function prune(doc: BuildDoc, ids: ReadonlySet<number>, deletedAt: Date): Change | undefined {
  if (doc.pinned || !doc.artifacts.some(({ id, blobId }) => ids.has(id) && blobId)) return undefined;
  const artifacts = doc.artifacts.map((artifact) => {
    if (!ids.has(artifact.id) || !artifact.blobId) return artifact;
    const { blobId: _b, size: _s, md5: _m, sha256: _h, ...record } = artifact;
    return { ...record, deletedAt };
  });
  const isStored = artifacts.some(({ blobId }) => blobId);
  return { set: { artifacts, artifactBytes: isStored ? storedBytes(artifacts) : undefined } };
}

/**
 * Puts a stored file into the record of its entry; a further match of a glob gets a record of its own.
 * The same match again replaces what was stored for it.
 */
export function collect(
  doc: BuildDoc,
  epoch: number,
  { artifactId, source, name, ...stored }: Collected,
  newId: number,
): Change {
  isHeld(doc, epoch);
  const entry = doc.artifacts.find((one) => one.id === artifactId && one.entryId === artifactId);
  if (!entry) throw new Fault("conflict", `Build ${doc._id} has no artifact ${artifactId}`);
  const of = { source: source ?? entry.source, name: name ?? entry.name };
  const again = doc.artifacts.find((one) => one.entryId === artifactId && one.source === of.source && one.blobId);
  const place: ArtifactDoc = again ?? (entry.blobId ? { ...entry, id: newId, entry: undefined } : entry);
  const others = doc.artifacts.filter((one) => one.id !== place.id);
  const isDisk = isKeptDisk(doc, entry);
  const unique = again?.name ?? uniqueNames(others.map((one) => one.name))(of.name);
  const asEntered = { source: entry.source, name: entry.name, ...(isDisk ? { jobId: entry.jobId } : {}) };
  const was = source === undefined && !isDisk ? undefined : (place.entry ?? asEntered);
  const record = {
    ...place,
    ...stored,
    source: of.source,
    name: unique,
    jobId: (isDisk && doc.jobs.find(({ status }) => status === "running")?.id) || place.jobId,
    entry: place.id === artifactId ? was : undefined,
  };
  const at = doc.artifacts.findIndex((one) => one.id === place.id);
  const artifacts =
    at < 0 ? [...doc.artifacts, record] : doc.artifacts.map((one, index) => (index === at ? record : one));
  return { set: { artifacts, artifactBytes: storedBytes(artifacts) } };
}
