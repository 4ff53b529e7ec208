import type { AbstractCursor } from "mongodb";
import { pacer } from "../turns/pacer.js";

const sliceValues = 2_000;

function valuesOf(doc: object): number {
  let values = 0;
  for (const value of Object.values(doc)) values += Array.isArray(value) ? value.length : 1;
  return values;
}

/** Does the same as `toArray`, but other work of the process runs between documents with long lists. */
export async function readSlowly<T extends object>(cursor: AbstractCursor<T>): Promise<T[]> {
  const pace = pacer(sliceValues);
  const docs: T[] = [];
  // The driver decodes each document when it is asked for.
  for await (const doc of cursor) {
    docs.push(doc);
    const pause = pace(valuesOf(doc));
    if (pause) await pause;
  }
  return docs;
}
