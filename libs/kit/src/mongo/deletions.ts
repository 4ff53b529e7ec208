import type { Db } from "mongodb";
import type { Host } from "../process/host.js";
import { duplicateKey, ensureIndexes } from "./mongo.js";

/** What may be deleted while somebody creates a record below it. */
export interface Parent {
  readonly kind: "user" | "namespace";
  readonly id: number;
}

/** Whom a record belongs to. */
export interface Below {
  readonly userId?: number | undefined;
  readonly namespaceId?: number | undefined;
}

/**
 * The deletions of users and namespaces that a service has heard of. They stay on record for ever, so a record that is
 * created below something deleted is found, however long its creator stalled between its check and its write:
 * - A deletion is recorded before what is below it is cleared. Whatever was written before that is cleared.
 * - Whoever has written a record calls `created`. Soon after, `look` clears again what has been deleted by then.
 * - If the process dies between the two, `sweep` clears again: each deletion at intervals that double, without end.
 */
export interface Deletions {
  /** Puts deletions on record, before anything is cleared. */
  record(parents: readonly Parent[]): Promise<void>;
  /** Puts a deletion on record and clears what is below it. */
  deleted(parent: Parent): Promise<void>;
  /** Says that a record was just stored. Costs nothing; call it after the write. */
  created(below: Below): void;
  /** One pass over what records were created below; returns how many of those are deleted. */
  look(): Promise<number>;
  /** One pass over the deletions that are due for another look; returns how many were. */
  sweep(): Promise<number>;
}

interface DeletionDoc {
  /** `namespace:5` */
  _id: string;
  at: Date;
  sweepAt: Date;
}

const firstSweepMs = 10_000;
const sweptAtATime = 100;
const lookedUpAtATime = 1_000;

const keyOf = ({ kind, id }: Parent) => `${kind}:${id}`;

function parentOf(key: string): Parent {
  const [kind, id] = key.split(":") as [Parent["kind"], string];
  return { kind, id: Number(id) };
}

/** `clear` does what a deletion entails. It must be harmless to repeat. */
export function deletionsIn(
  db: Db,
  clear: (parent: Parent) => Promise<void>,
  now: () => Date,
): Deletions & { ensureIndexes(): Promise<void> } {
  const deletions = db.collection<DeletionDoc>("deletions");
  /** What records were created below since the last look. */
  let unseen = new Set<string>();

  async function record(parents: readonly Parent[]): Promise<void> {
    const at = now();
    const onInsert = { $setOnInsert: { at, sweepAt: new Date(at.getTime() + firstSweepMs) } };
    for (const parent of parents)
      await deletions.updateOne({ _id: keyOf(parent) }, onInsert, { upsert: true }).catch((error) => {
        // Another process has recorded it at the same moment.
        if (!duplicateKey(error)) throw error;
      });
  }

  /** Clears below all of these, even if that fails for some; throws the last error. */
  async function clearAll(keys: readonly string[], done: (key: string) => Promise<unknown>): Promise<void> {
    let failed: { error: unknown } | undefined;
    for (const key of keys) {
      try {
        await clear(parentOf(key));
        await done(key);
      } catch (error) {
        failed = { error };
      }
    }
    if (failed) throw failed.error;
  }

  async function lookAt(keys: readonly string[]): Promise<number> {
    const found = await deletions.find({ _id: { $in: [...keys] } }, { projection: { _id: 1 } }).toArray();
    await clearAll(
      found.map(({ _id }) => _id),
      async () => undefined,
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
      if (userId !== undefined) unseen.add(keyOf({ kind: "user", id: userId }));
      if (namespaceId !== undefined) unseen.add(keyOf({ kind: "namespace", id: namespaceId }));
    },
    async look() {
      const keys = [...unseen];
      unseen = new Set();
      let count = 0;
      while (keys.length > 0) {
        const some = keys.slice(0, lookedUpAtATime);
        try {
          count += await lookAt(some);
        } catch (error) {
          for (const key of keys) unseen.add(key);
          throw error;
        }
        keys.splice(0, some.length);
      }
      return count;
    },
    async sweep() {
      const due = await deletions
        .find({ sweepAt: { $lte: now() } })
        .sort({ sweepAt: 1 })
        .limit(sweptAtATime)
        .toArray();
      const age = new Map(due.map(({ _id, at }) => [_id, now().getTime() - at.getTime()]));
      await clearAll([...age.keys()], (key) => {
        const sweepAt = new Date(now().getTime() + Math.max(firstSweepMs, age.get(key)!));
        return deletions.updateOne({ _id: key }, { $set: { sweepAt } });
      });
      return due.length;
    },
  };
}

/** Has the passes repeated for as long as the service runs. */
export function tendDeletions(h: Pick<Host, "loop">, { look, sweep }: Pick<Deletions, "look" | "sweep">): void {
  h.loop("look-below-deleted", 500, look);
  h.loop("sweep-below-deleted", 5_000, sweep);
}
