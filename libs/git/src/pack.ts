import { createHash } from "node:crypto";
import { type Pace, pacer } from "@ci/kit/turns/pacer";
import { cursor, malformed } from "./cursor.js";
import { applyDelta } from "./delta.js";
import { type Entry, readEntry } from "./pack-entry.js";
import { type Budget, spend, spendObjects } from "./pack-limits.js";

export interface GitObject {
  readonly type: "commit" | "tree" | "blob" | "tag";
  readonly data: Buffer;
}

export type HashName = "sha1" | "sha256";

/** Work between two turns of the event loop, in bytes; an object costs some besides its own. */
const sliceBytes = 256 * 1024;
const objectBytes = 1_024;
/** What a byte of a compressed stream costs, of which some make no output. */
const streamFactor = 8;

async function idOf({ type, data }: GitObject, hash: HashName, pace: Pace): Promise<string> {
  const digest = createHash(hash).update(`${type} ${data.length}\0`);
  for (let at = 0; at < data.length; at += sliceBytes) {
    const part = data.subarray(at, at + sliceBytes);
    digest.update(part);
    await pace(part.length);
  }
  return digest.digest("hex");
}

/** Deltas by the object that they start from: its offset or its id. */
function waitingDeltas() {
  const byBase = new Map<number | string, Entry[]>();
  return {
    add(entry: Entry): void {
      const others = byBase.get(entry.base!);
      if (others) others.push(entry);
      else byBase.set(entry.base!, [entry]);
    },
    take(base: number | string): Entry[] {
      const found = byBase.get(base) ?? [];
      byBase.delete(base);
      return found;
    },
    isEmpty: () => byBase.size === 0,
  };
}

interface Reading {
  readonly hash: HashName;
  readonly budget: Budget;
  readonly pace: Pace;
  readonly found: Map<string, GitObject>;
  readonly deltas: ReturnType<typeof waitingDeltas>;
}

/** Keeps an object, and every object that deltas make from it. The base of a delta may come later in the pack. */
async function keep(offset: number, object: GitObject, { hash, budget, pace, found, deltas }: Reading): Promise<void> {
  const made = [{ offset, object }];
  for (let next = made.pop(); next; next = made.pop()) {
    const { type, data } = next.object;
    const id = await idOf(next.object, hash, pace);
    found.set(id, next.object);
    for (const delta of [...deltas.take(next.offset), ...deltas.take(id)]) {
      const result = await applyDelta(data, delta.data, budget.leftBytes, pace);
      spend(budget, result.length);
      made.push({ offset: delta.offset, object: { type, data: result } });
    }
    await pace(objectBytes);
  }
}

/**
 * Reads all objects. Computes their ids, so a server cannot forge one. Throws if they exceed the budget. Works in
 * slices: a pack of a stranger may take seconds.
 */
export async function readPack(pack: Buffer, hash: HashName, budget: Budget): Promise<Map<string, GitObject>> {
  const from = cursor(pack);
  if (from.take(4).toString() !== "PACK" || from.take(4).readUInt32BE() !== 2) throw malformed();
  const count = from.take(4).readUInt32BE();
  spendObjects(budget, count);
  const reading: Reading = { hash, budget, pace: pacer(sliceBytes), found: new Map(), deltas: waitingDeltas() };
  const whole: Entry[] = [];
  for (let nth = 0; nth < count; nth++) {
    const entry = await readEntry(pack, from, hash === "sha1" ? 20 : 32, budget);
    if (entry.type) whole.push(entry);
    else reading.deltas.add(entry);
    await reading.pace(objectBytes + entry.data.length + streamFactor * (from.at() - entry.offset));
  }
  for (const { offset, type, data } of whole) await keep(offset, { type: type!, data }, reading);
  if (!reading.deltas.isEmpty()) throw malformed();
  return reading.found;
}
