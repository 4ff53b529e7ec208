import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { Fault, invalid } from "@ci/kit/rpc/fault";
import type { ArtifactDoc, BuildDoc } from "./build.js";
import { type Change, requireHeld } from "./change.js";
import { uniqueNames } from "./plan.js";

interface CollectedFile {
  readonly artifactId: number;
  /** Path and name of a file that a glob matched. */
  readonly source?: string;
  readonly name?: string;
  readonly blobId: string;
  readonly size: number;
  readonly md5: string;
  readonly sha256: string;
}

/** Reports whether this is the disk of a failed machine. Its entry belongs to the first job until a job fails. */
export const isKeptDisk = (doc: Pick<BuildDoc, "jobs">, { jobId, entry }: ArtifactDoc): boolean =>
  jobId === doc.jobs[0]?.id || entry?.jobId !== undefined;

export function resetArtifacts(doc: BuildDoc): Pick<BuildDoc, "artifacts" | "artifactBytes"> {
  const entries = doc.artifacts.filter((artifact) => artifact.id === artifact.entryId);
  const artifacts = entries.map(({ blobId: _b, size: _s, md5: _m, sha256: _h, entry, ...artifact }) => ({
    ...artifact,
    ...entry,
  }));
  return { artifacts, artifactBytes: undefined };
}

const storedBytes = (artifacts: readonly ArtifactDoc[]): number =>
  artifacts.reduce((sum, { size = 0 }) => sum + size, 0);

/** Removes the contents of these artifacts, but not their records, unless the build is pinned. */
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

const refusal = "too many files match the globs of this build, or their names are too long";
const maxMatchBytes = fixedLimit({
  max: 2 * 1024 ** 2,
  unit: "bytes",
  about: "records of the files that a build's globs match; each counts as its names plus 300 bytes",
  refusal,
});

const measured = new WeakMap<ArtifactDoc, number>();

function bytesOf(artifact: ArtifactDoc): number {
  const known = measured.get(artifact);
  if (known !== undefined) return known;
  const { source, name, pattern = "", entry } = artifact;
  let sum = 300;
  for (const text of [source, name, pattern, entry?.source ?? "", entry?.name ?? ""]) sum += Buffer.byteLength(text);
  measured.set(artifact, sum);
  return sum;
}

/** A document can hold 16 MiB. Without room for its end, a build would run again and again. */
function requireRoom(artifacts: readonly ArtifactDoc[]): void {
  const matches = artifacts.filter(({ id, entryId, entry }) => id !== entryId || entry);
  if (matches.reduce((sum, one) => sum + bytesOf(one), 0) > maxMatchBytes) throw invalid({ file: [refusal] });
}

function freeName({ artifacts }: BuildDoc, ownId: number, name: string): string {
  const isTaken = artifacts.some((one) => one.name === name && one.id !== ownId);
  return isTaken ? uniqueNames(artifacts.flatMap((one) => (one.id === ownId ? [] : one.name)))(name) : name;
}

type Wanted = Pick<CollectedFile, "artifactId" | "source" | "name">;

function findTarget(doc: BuildDoc, { artifactId, source, name }: Wanted) {
  const entry = doc.artifacts.find((one) => one.id === artifactId && one.entryId === artifactId);
  if (!entry) throw new Fault("conflict", `Build ${doc._id} has no artifact ${artifactId}`);
  const wanted = { source: source ?? entry.source, name: name ?? entry.name };
  const earlier = doc.artifacts.find((one) => one.entryId === artifactId && one.source === wanted.source && one.blobId);
  return { entry, wanted, earlier };
}

export const replacedBy = (doc: BuildDoc, file: Wanted): string | undefined => findTarget(doc, file).earlier?.blobId;

/**
 * Records a stored file. Each further match of a glob gets its own record; a repeated match replaces its record. Throws
 * `invalid` if the matches have no room.
 */
export function collect(
  doc: BuildDoc,
  epoch: number,
  { artifactId, source, name, ...stored }: CollectedFile,
  newId: number,
): Change {
  requireHeld(doc, epoch);
  const { entry, wanted, earlier } = findTarget(doc, { artifactId, source, name });
  const target: ArtifactDoc = earlier ?? (entry.blobId ? { ...entry, id: newId, entry: undefined } : entry);
  const isDisk = isKeptDisk(doc, entry);
  const unique = earlier?.name ?? freeName(doc, target.id, wanted.name);
  const asWritten = { source: entry.source, name: entry.name, ...(isDisk ? { jobId: entry.jobId } : {}) };
  const original = source === undefined && !isDisk ? undefined : (target.entry ?? asWritten);
  const record = {
    ...target,
    ...stored,
    source: wanted.source,
    name: unique,
    jobId: (isDisk && doc.jobs.find(({ status }) => status === "running")?.id) || target.jobId,
    entry: target.id === artifactId ? original : undefined,
  };
  const at = doc.artifacts.findIndex((one) => one.id === target.id);
  const artifacts =
    at < 0 ? [...doc.artifacts, record] : doc.artifacts.map((one, index) => (index === at ? record : one));
  if (source !== undefined) requireRoom(artifacts);
  return { set: { artifacts, artifactBytes: storedBytes(artifacts) } };
}
