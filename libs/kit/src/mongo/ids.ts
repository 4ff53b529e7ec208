import type { Db } from "mongodb";
import { duplicateKey } from "./mongo.js";

type Counts<K extends string = string> = Record<K, number>;

interface Counter {
  _id: string;
  [name: string]: number | string;
}

/** A number that was answered must stay reserved, whatever the database's URL says about other writes. */
const durable = { w: "majority", journal: true } as const;
const blockSize = 1_000;

/** Advances the counters of one document in one write and returns the first number of each. */
async function advance(db: Db, document: string, counts: Counts): Promise<Counts> {
  const counter = await db
    .collection<Counter>("counters")
    .findOneAndUpdate(
      { _id: document },
      { $inc: counts as never },
      { upsert: true, returnDocument: "after", writeConcern: durable },
    )
    .catch((error) => {
      if (duplicateKey(error)) return undefined;
      throw error;
    });
  // Two first writers may both try to insert the document; the loser finds it now.
  if (!counter) return advance(db, document, counts);
  return Object.fromEntries(
    Object.entries(counts).map(([name, count]) => [name, (counter[name] as number) - count + 1]),
  );
}

/** Advances the counters once for all these asks, and divides the numbers among them in order. */
async function advanceForAll(db: Db, document: string, asks: readonly Counts[]): Promise<Counts[]> {
  const sums: Counts = {};
  for (const ask of asks) for (const [name, count] of Object.entries(ask)) sums[name] = (sums[name] ?? 0) + count;
  const next = await advance(db, document, sums);
  return asks.map((ask) => {
    const firsts = Object.fromEntries(Object.keys(ask).map((name) => [name, next[name]!]));
    for (const [name, count] of Object.entries(ask)) next[name]! += count;
    return firsts;
  });
}

/** Calls that share one write. */
interface Batch {
  readonly asks: Counts[];
  readonly firsts: Promise<Counts[]>;
}

/** A counter document: at most one write is under way, and all calls in the meantime share the next one. */
interface Line {
  last: Promise<unknown>;
  next?: Batch | undefined;
}

/** Numbers of a document that are reserved for this process and not given yet. */
interface Blocks {
  readonly free: Map<string, { next: number; end: number }>;
  refilling?: Promise<void> | undefined;
}

/** What this process has under way in a database, by counter document. */
interface Source {
  readonly lines: Map<string, Line>;
  readonly blocks: Map<string, Blocks>;
}

const sources = new WeakMap<Db, Source>();

function sourceOf(db: Db): Source {
  const source = sources.get(db) ?? { lines: new Map(), blocks: new Map() };
  sources.set(db, source);
  return source;
}

function newBatch(db: Db, document: string, line: Line): Batch {
  const { lines } = sourceOf(db);
  const asks: Counts[] = [];
  const firsts = line.last.then(() => {
    line.next = undefined;
    return advanceForAll(db, document, asks);
  });
  line.last = firsts
    .catch(() => undefined)
    .then(() => {
      if (!line.next) lines.delete(document);
    });
  return { asks, firsts };
}

/** Advances the counters of one document, in order of the calls. */
async function reserve(db: Db, document: string, counts: Counts): Promise<Counts> {
  const { lines } = sourceOf(db);
  const line: Line = lines.get(document) ?? { last: Promise.resolve() };
  lines.set(document, line);
  line.next ??= newBatch(db, document, line);
  const { asks, firsts } = line.next;
  const nth = asks.push(counts) - 1;
  return (await firsts)[nth]!;
}

/**
 * Reserves `count` ids of a kind and returns the first; the others follow without a gap. All processes count on from
 * each other, so a later id is a higher one. The write is on a majority's disk before it is answered: no id is given
 * twice, whatever crashes. Ids that are never used leave gaps.
 */
export async function nextId(db: Db, name: string, count = 1): Promise<number> {
  return (await reserve(db, name, { id: count })).id!;
}

async function refill(db: Db, document: string, { free }: Blocks, counts: Counts): Promise<void> {
  const sizes = Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, Math.max(blockSize, count)]));
  const firsts = await reserve(db, document, sizes);
  for (const [name, next] of Object.entries(firsts)) free.set(name, { next, end: next + sizes[name]! });
}

/**
 * Reserves ids of several kinds: `nextIds(db, "ids", { builds: 1, jobs: 4 })` returns the first of each, the others
 * follow without a gap. They come from blocks that this process has reserved as `nextId` does, so most calls cost
 * nothing. Ids of different processes are in no order, and the rest of a block is lost when the process ends.
 */
export async function nextIds<K extends string>(db: Db, document: string, counts: Counts<K>): Promise<Counts<K>> {
  const source = sourceOf(db);
  const blocks: Blocks = source.blocks.get(document) ?? { free: new Map() };
  source.blocks.set(document, blocks);
  const asked = Object.entries<number>(counts).filter(([, count]) => count > 0);
  const lacking = () =>
    asked.filter(([name, count]) => {
      const block = blocks.free.get(name);
      return !block || block.end - block.next < count;
    });
  for (let lacks = lacking(); lacks.length > 0; lacks = lacking()) {
    blocks.refilling ??= refill(db, document, blocks, Object.fromEntries(lacks)).finally(() => {
      blocks.refilling = undefined;
    });
    await blocks.refilling;
  }
  const firsts: Counts = { ...counts };
  for (const [name, count] of asked) {
    const block = blocks.free.get(name)!;
    firsts[name] = block.next;
    block.next += count;
  }
  return firsts as Counts<K>;
}
