import type { BuildDoc } from "../domain/build.js";
import { arrivedBytes } from "../domain/side-by-side.js";

const maxBuilds = 500;
/** Larger builds are not cached, because they would fill the memory. */
const maxBytes = 64 * 1024;
const maxPieces = 500;
const maxRecords = 100;

const isSmall = ({ manifest, tail, tailFrom, jobs, objects, variables, keys, artifacts, ...doc }: BuildDoc): boolean =>
  manifest.length + arrivedBytes(doc) - tailFrom <= maxBytes &&
  tail.length <= maxPieces &&
  [jobs, objects, variables, keys, artifacts].every(({ length }) => length <= maxRecords);

/**
 * Running builds as this process last wrote them, which saves reading them for their runner's next report. They may be
 * out of date: use one only for a write that is guarded by its revision.
 */
export function recentBuilds() {
  const docs = new Map<number, BuildDoc>();
  return {
    /** Removes and returns a build. */
    take(id: number): BuildDoc | undefined {
      const doc = docs.get(id);
      docs.delete(id);
      return doc;
    },
    keep(doc: BuildDoc): void {
      docs.delete(doc._id);
      if (doc.status !== "running" || !isSmall(doc)) return;
      if (docs.size >= maxBuilds) docs.delete(docs.keys().next().value!);
      docs.set(doc._id, doc);
    },
    /** Removes a build before work that changes its revision. */
    before:
      <Rest extends unknown[], T>(work: (id: number, ...rest: Rest) => T) =>
      (id: number, ...rest: Rest): T => {
        docs.delete(id);
        return work(id, ...rest);
      },
  };
}

export type RecentBuilds = ReturnType<typeof recentBuilds>;
