import type { Db } from "mongodb";
import type { Host } from "../process/host.js";
import { duplicateKey, ensureIndexes } from "./mongo.js";

export interface Parent {
  readonly kind: "user" | "namespace";
  readonly id: number;
}

export interface Below {
  readonly userId?: number | undefined;
  readonly namespaceId?: number | undefined;
}

/**
 * Deletions of users and namespaces, recorded forever. This finds records created below something deleted, however long
 * their creator stalled between check and write. A deletion is recorded before what is below it is cleared. After writing
 * a record, callers call `created`, and `look` soon clears again if the parent is deleted by then. If the process dies in
 * between, `sweep` clears again: each deletion at intervals that double.
 */
export interface Deletions {
  record(parents: readonly Parent[]): Promise<void>;
  deleted(parent: Parent): Promise<void>;
  /** Call this after storing a record. It only notes the parents in memory. */
  created(below: Below): void;
  /** Checks the parents of new records; returns the number that are deleted. */
  look(): Promise<number>;
  sweep(): Promise<number>;
  /** Calls a function whenever there are parents for `look` to check. */
  onCreated(listener: () => void): void;
}

interface DeletionDoc {
  _id: string;
  at: Date;
  sweepAt: Date;
}

const firstSweepMs = 10_000;
const maxSwept = 100;
const maxLookedUp = 1_000;

const keyOf = ({ kind, id }: Parent) => `${kind}:${id}`;

function parentOf(key: string): Parent {
  const [kind, id] = key.split(":") as [Parent["kind"], string];
  return { kind, id: Number(id) };
}

/** Continues after a failure; throws the last error at the end. */
async function forEach(keys: readonly string[], work: (key: string) => Promise<unknown>): Promise<void> {
  let failed: { error: unknown } | undefined;
  for (const key of keys) {
    try {
      await work(key);
    } catch (error) {
      failed = { error };
    }
  }
  if (failed) throw failed.error;
}

/** `clear` removes what is below a parent. It must be harmless to repeat. */
export function deletionsIn(
  db: Db,
  clear: (parent: Parent) => Promise<void>,
  now: () => Date,
): Deletions & { ensureIndexes(): Promise<void> } {
  const deletions = db.collection<DeletionDoc>("deletions");
  let unchecked = new Set<string>();
  let created = () => {};

  async function record(parents: readonly Parent[]): Promise<void> {
    const at = now();
    const onInsert = { $setOnInsert: { at, sweepAt: new Date(at.getTime() + firstSweepMs) } };
    for (const parent of parents)
      await deletions.updateOne({ _id: keyOf(parent) }, onInsert, { upsert: true }).catch((error) => {
        if (!duplicateKey(error)) throw error;
      });
  }

  async function lookAt(keys: readonly string[]): Promise<number> {
    const found = await deletions.find({ _id: { $in: [...keys] } }, { projection: { _id: 1 } }).toArray();
    await forEach(
      found.map(({ _id }) => _id),
      (key) => clear(parentOf(key)),
    );
    return found.length;
  }

  return {
    ensureIndexes: () => ensureIndexes(deletions, [{ key: { sweepAt: 1 } }]),
    record,
    async deleted(parent) {
      await record([parent]);
      await clear(parent);
    },
    created({ userId, namespaceId }) {
      if (userId !== undefined) unchecked.add(keyOf({ kind: "user", id: userId }));
      if (namespaceId !== undefined) unchecked.add(keyOf({ kind: "namespace", id: namespaceId }));
      created();
    },
    onCreated(listener) {
      created = listener;
    },
    async look() {
      const keys = [...unchecked];
      unchecked = new Set();
      let count = 0;
      while (keys.length > 0) {
        const batch = keys.slice(0, maxLookedUp);
        try {
          count += await lookAt(batch);
        } catch (error) {
          for (const key of keys) unchecked.add(key);
          throw error;
        }
        keys.splice(0, batch.length);
      }
      return count;
    },
    async sweep() {
      const due = await deletions
        .find({ sweepAt: { $lte: now() } })
        .sort({ sweepAt: 1 })
        .limit(maxSwept)
        .toArray();
      const age = new Map(due.map(({ _id, at }) => [_id, now().getTime() - at.getTime()]));
      await forEach([...age.keys()], async (key) => {
        await clear(parentOf(key));
        const sweepAt = new Date(now().getTime() + Math.max(firstSweepMs, age.get(key)!));
        await deletions.updateOne({ _id: key }, { $set: { sweepAt } });
      });
      return due.length;
    },
  };
}

const hourMs = 3_600_000;

/** Runs the passes for as long as the service runs. */
export function tendDeletions(
  h: Pick<Host, "loop">,
  { look, sweep, onCreated }: Pick<Deletions, "look" | "sweep" | "onCreated">,
): void {
  onCreated(h.loop("look-below-deleted", 2_000, look, hourMs).stir);
  h.loop("sweep-below-deleted", 5_000, sweep, 40_000);
}
