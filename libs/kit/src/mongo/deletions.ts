import type { Collection, Db } from "mongodb";
import type { Host } from "../process/host.js";
import { duplicateKey } from "./duplicates.js";
import { ensureIndexes } from "./mongo.js";

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
 * their creator stalled between check and write. After writing a record, callers call `created`, and `look` soon has it
 * cleared if the parent is deleted by then. If the process dies in between, `sweep` clears again: each deletion at
 * intervals that double, up to a month.
 */
export interface Deletions {
  /** Records deletions that the caller clears itself. */
  record(parents: readonly Parent[]): Promise<void>;
  /** Records deletions. `sweep` clears what is below them, users first, before it repeats others. */
  deleted(parents: readonly Parent[]): Promise<void>;
  /** Returns those of the parents that are not recorded. */
  missing<P extends Parent>(parents: readonly P[]): Promise<P[]>;
  /** Call this after storing a record. It only notes the parents in memory. */
  created(below: Below): void;
  /** Checks the parents of new records; returns the number that are deleted. */
  look(): Promise<number>;
  /** Clears due deletions, several at once; returns the number of turns it took. */
  sweep(): Promise<number>;
  /** Calls functions whenever there are parents for `look` to check, and deletions for `sweep`. */
  listen(listeners: { created(): void; due(): void }): void;
}

interface DeletionDoc {
  _id: string;
  at: Date;
  sweepAt: Date;
  /** The pause after the next sweep. Older versions stored none. */
  restMs?: number;
}

const firstSweepMs = 10_000;
const retryMs = 4_000;
const maxRestMs = 30 * 24 * 3_600_000;
/** A deletion is due again if the process that clears it dies, or takes longer. */
const clearingMs = 60_000;
/** First clearings come before repeats, and those of users before those of namespaces. */
const leadMs = { user: 48 * 3_600_000, namespace: 24 * 3_600_000 } as const;
const maxAtOnce = 4;
const maxTurns = 20;
const maxLookedUp = 1_000;

const keyOf = ({ kind, id }: Parent) => `${kind}:${id}`;

function parentOf(key: string): Parent {
  const [kind, id] = key.split(":") as [Parent["kind"], string];
  return { kind, id: Number(id) };
}

function recordsIn(deletions: Collection<DeletionDoc>, now: () => Date) {
  async function write(parents: readonly Parent[], sweepAtOf: (parent: Parent) => object): Promise<void> {
    const upserts = parents.map((parent) => {
      const restMs = { $ifNull: ["$restMs", firstSweepMs] };
      const update = [{ $set: { at: { $ifNull: ["$at", "$$NOW"] }, sweepAt: sweepAtOf(parent), restMs } }];
      return { updateOne: { filter: { _id: keyOf(parent) }, update, upsert: true } };
    });
    if (upserts.length === 0) return;
    await deletions.bulkWrite(upserts, { ordered: false }).catch((error) => {
      if (!duplicateKey(error)) throw error;
    });
  }

  return {
    record(parents: readonly Parent[]): Promise<void> {
      const sweepAt = new Date(now().getTime() + firstSweepMs);
      return write(parents, () => ({ $ifNull: ["$sweepAt", sweepAt] }));
    },
    /** Makes deletions due, and records new ones. */
    due: (parents: readonly Parent[]): Promise<void> =>
      write(parents, (parent) => ({ $min: ["$sweepAt", dueAt(parent, now())] })),

    async known(keys: readonly string[]): Promise<string[]> {
      const found = await deletions.find({ _id: { $in: [...keys] } }, { projection: { _id: 1 } }).toArray();
      return found.map(({ _id }) => _id);
    },
  };
}

const dueAt = ({ kind }: Parent, now: Date) => new Date(now.getTime() - leadMs[kind]);

type Clear = (parent: Parent) => Promise<unknown>;

/** Returns a pass that clears due deletions. One that has more to clear than fits in a turn goes behind the others. */
function sweeping(deletions: Collection<DeletionDoc>, clear: Clear, now: () => Date): () => Promise<number> {
  const inMs = (ms: number) => new Date(now().getTime() + ms);
  const next = () =>
    deletions.findOneAndUpdate(
      { sweepAt: { $lte: now() } },
      { $set: { sweepAt: inMs(clearingMs) } },
      { sort: { sweepAt: 1 }, returnDocument: "after" },
    );

  async function turn({ _id, at, sweepAt: until, restMs }: DeletionDoc): Promise<void> {
    const parent = parentOf(_id);
    const rest = Math.min(restMs ?? Math.max(firstSweepMs, now().getTime() - at.getTime()), maxRestMs);
    const rested = { sweepAt: inMs(rest), restMs: Math.min(2 * rest, maxRestMs) };
    const again = (set: Partial<DeletionDoc>) => deletions.updateOne({ _id, sweepAt: until }, { $set: set });
    try {
      const result = await clear(parent);
      await again(result === "more" ? { sweepAt: dueAt(parent, now()) } : rested);
    } catch (error) {
      await again({ sweepAt: inMs(retryMs) });
      throw error;
    }
  }

  return async () => {
    let turns = 0;
    let failed: { error: unknown } | undefined;
    async function takeTurns(first: DeletionDoc | null): Promise<void> {
      for (let doc = first; doc; doc = turns < maxTurns ? await next() : null) {
        turns++;
        await turn(doc).catch((error) => (failed = { error }));
      }
    }
    const first = await next();
    if (!first) return 0;
    await Promise.all(Array.from({ length: maxAtOnce }, async (_, n) => takeTurns(n === 0 ? first : await next())));
    if (failed) throw failed.error;
    return turns;
  };
}

/** `clear` removes what is below a parent. It must be harmless to repeat. It returns "more" if a turn was not enough. */
export function deletionsIn(db: Db, clear: Clear, now: () => Date): Deletions & { ensureIndexes(): Promise<void> } {
  const deletions = db.collection<DeletionDoc>("deletions");
  const { record, due, known } = recordsIn(deletions, now);
  let unchecked = new Set<string>();
  let tell: Parameters<Deletions["listen"]>[0] = { created() {}, due() {} };

  async function clearSoon(parents: readonly Parent[]): Promise<void> {
    if (parents.length === 0) return;
    await due(parents);
    tell.due();
  }

  return {
    ensureIndexes: () => ensureIndexes(deletions, [{ key: { sweepAt: 1 } }]),
    record,
    deleted: clearSoon,
    async missing(parents) {
      const recorded = new Set(parents.length === 0 ? [] : await known(parents.map(keyOf)));
      return parents.filter((parent) => !recorded.has(keyOf(parent)));
    },
    created({ userId, namespaceId }) {
      if (userId !== undefined) unchecked.add(keyOf({ kind: "user", id: userId }));
      if (namespaceId !== undefined) unchecked.add(keyOf({ kind: "namespace", id: namespaceId }));
      tell.created();
    },
    listen(listeners) {
      tell = listeners;
    },
    async look() {
      const keys = [...unchecked];
      unchecked = new Set();
      let count = 0;
      while (keys.length > 0) {
        const batch = keys.slice(0, maxLookedUp);
        try {
          const found = await known(batch);
          await clearSoon(found.map(parentOf));
          count += found.length;
        } catch (error) {
          for (const key of keys) unchecked.add(key);
          throw error;
        }
        keys.splice(0, batch.length);
      }
      return count;
    },
    sweep: sweeping(deletions, clear, now),
  };
}

const hourMs = 3_600_000;

/** Runs the passes for as long as the service runs. */
export function tendDeletions(
  h: Pick<Host, "loop">,
  { look, sweep, listen }: Pick<Deletions, "look" | "sweep" | "listen">,
): void {
  const looking = h.loop("look-below-deleted", 2_000, look, hourMs);
  const clearing = h.loop(
    "sweep-below-deleted",
    5_000,
    async () => {
      const turns = await sweep();
      if (turns >= maxTurns) clearing.wake();
      return turns;
    },
    40_000,
  );
  listen({ created: looking.stir, due: clearing.wake });
}
