import type { Artifact, BuildKey, BuildObject, BuildVariable, Job } from "@ci/proto/builds/v1/builds";
import { type BuildDoc, commandsOf, type JobDoc } from "./build.js";

const jobOf = ({ tests: _, ...job }: JobDoc) => job;

export const masked = "xxxxxx";

export const toJob = (doc: Pick<BuildDoc, "_id" | "jobs" | "steps">, index: number): Job => ({
  ...jobOf(doc.jobs[index]!),
  buildId: doc._id,
  commands: commandsOf(doc.steps[index]!),
});

export const toObject = (doc: Pick<BuildDoc, "_id">, object: BuildDoc["objects"][number]): BuildObject => ({
  ...object,
  buildId: doc._id,
});

/** Returns the public record of a variable. `open` decrypts; it is not called for masked values. */
export function toVariable(
  doc: Pick<BuildDoc, "_id">,
  { sealed, isParameter: _, ...variable }: BuildDoc["variables"][number],
  open: (sealed: string, id: number) => string,
): BuildVariable {
  return { ...variable, buildId: doc._id, value: variable.masked ? masked : open(sealed, variable.id) };
}

export const toKey = (doc: Pick<BuildDoc, "_id">, { sealed: _, ...key }: BuildDoc["keys"][number]): BuildKey => ({
  ...key,
  buildId: doc._id,
});

export const toArtifact = (
  doc: Pick<BuildDoc, "_id" | "userId">,
  { blobId: _b, entryId: _e, entry: _t, pattern: _p, ...artifact }: BuildDoc["artifacts"][number],
): Artifact => ({ ...artifact, buildId: doc._id, userId: doc.userId });

export const contains = (text: string, search: string): boolean =>
  search === "" || text.toLowerCase().includes(search.toLowerCase());

/** Returns the items in the order of the bytes of their names, then of their ids. */
export function sortedByName<T extends { id: number }>(items: readonly T[], name: (item: T) => string): T[] {
  const keyed = items.map((item) => ({ item, key: Buffer.from(name(item)) }));
  keyed.sort((a, b) => Buffer.compare(a.key, b.key) || a.item.id - b.item.id);
  return keyed.map(({ item }) => item);
}
