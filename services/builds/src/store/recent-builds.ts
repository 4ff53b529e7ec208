import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { LRUCache } from "lru-cache";
import type { BuildDoc } from "../domain/build.js";

const maxBuilds = 500;
const maxMemory = fixedLimit({
  max: 32 * 1024 ** 2,
  unit: "bytes",
  about: "records of running builds that a process caches, as roughly estimated",
  effect: "the least recently used ones are read again for their runner's next report",
});

/** Returns a function that estimates the memory of a record. It does not measure again what records share. */
function weigher(): (value: unknown) => number {
  const known = new WeakMap<object, number>();
  function weigh(value: unknown): number {
    if (typeof value === "string") return 24 + value.length;
    if (typeof value !== "object" || value === null) return 8;
    let sum = known.get(value);
    if (sum !== undefined) return sum;
    sum = 24;
    for (const part of Object.values(value)) sum += 8 + weigh(part);
    known.set(value, sum);
    return sum;
  }
  return weigh;
}

/**
 * Running builds as this process last wrote them, which saves reading them for their runner's next report. They may be
 * out of date: use one only for a write that is guarded by its revision.
 */
export function recentBuilds() {
  const docs = new LRUCache<number, BuildDoc>({ max: maxBuilds, maxSize: maxMemory, sizeCalculation: weigher() });
  return {
    get: (id: number): BuildDoc | undefined => docs.peek(id),
    take(id: number): BuildDoc | undefined {
      const doc = docs.peek(id);
      docs.delete(id);
      return doc;
    },
    keep(doc: BuildDoc): void {
      if (doc.status === "running") docs.set(doc._id, doc);
      else docs.delete(doc._id);
    },
    /** Call this before a write that `keep` does not follow. */
    forget: (id: number): unknown => docs.delete(id),
  };
}

export type RecentBuilds = ReturnType<typeof recentBuilds>;
