import type { Db, WriteConcernSettings } from "mongodb";
import { duplicateKey } from "./mongo.js";

type Counts<K extends string = string> = Record<K, number>;

interface Counter {
  _id: string;
  [name: string]: number | string;
}

/** Overrides the setting in the database's URL, because a returned number must stay reserved. */
const durable: WriteConcernSettings = { w: "majority", journal: true };
/** Reaches the disk with a later write to the same database, at the latest: MongoDB keeps their order. */
const quick: WriteConcernSettings = { w: 1, journal: false };
const blockSize = 1_000;

/** Advances the counters of one document in one write and returns the first number of each. */
async function advance(db: Db, document: string, counts: Counts, writeConcern: WriteConcernSettings): Promise<Counts> {
  const counter = await db
    .collection<Counter>("counters")
    .findOneAndUpdate(
      { _id: document },
      { $inc: counts as never },
      { upsert: true, returnDocument: "after", writeConcern },
    )
    .catch((error) => {
      if (duplicateKey(error)) return undefined;
      throw error;
    });
  if (!counter) return advance(db, document, counts, writeConcern);
  return Object.fromEntries(
    Object.entries(counts).map(([name, count]) => [name, (counter[name] as number) - count + 1]),
  );
}

/** Advances the counters once for all requests, and divides the numbers among them in order. */
async function advanceForAll(
  db: Db,
  document: string,
  requests: readonly Counts[],
  writeConcern: WriteConcernSettings,
): Promise<Counts[]> {
  const sums: Counts = {};
  for (const request of requests)
    for (const [name, count] of Object.entries(request)) sums[name] = (sums[name] ?? 0) + count;
  const next = await advance(db, document, sums, writeConcern);
  return requests.map((request) => {
    const firsts = Object.fromEntries(Object.keys(request).map((name) => [name, next[name]!]));
    for (const [name, count] of Object.entries(request)) next[name]! += count;
    return firsts;
  });
}

/** Calls that share one write. */
interface Batch {
  readonly requests: Counts[];
  readonly firsts: Promise<Counts[]>;
}

/** At most one write per counter document and write concern is under way. Calls in the meantime share the next one. */
interface Queue {
  last: Promise<unknown>;
  next?: Batch | undefined;
}

interface Blocks {
  readonly free: Map<string, { next: number; end: number }>;
  refilling?: Promise<void> | undefined;
}

interface Source {
  readonly durable: Map<string, Queue>;
  readonly quick: Map<string, Queue>;
  readonly blocks: Map<string, Blocks>;
}

const sources = new WeakMap<Db, Source>();

function sourceOf(db: Db): Source {
  const source = sources.get(db) ?? { durable: new Map(), quick: new Map(), blocks: new Map() };
  sources.set(db, source);
  return source;
}

const queuesOf = (db: Db, writeConcern: WriteConcernSettings): Map<string, Queue> =>
  sourceOf(db)[writeConcern === quick ? "quick" : "durable"];

function newBatch(db: Db, document: string, queue: Queue, writeConcern: WriteConcernSettings): Batch {
  const queues = queuesOf(db, writeConcern);
  const requests: Counts[] = [];
  const firsts = queue.last.then(() => {
    queue.next = undefined;
    return advanceForAll(db, document, requests, writeConcern);
  });
  queue.last = firsts
    .catch(() => undefined)
    .then(() => {
      if (!queue.next) queues.delete(document);
    });
  return { requests, firsts };
}

async function reserve(db: Db, document: string, counts: Counts, writeConcern = durable): Promise<Counts> {
  const queues = queuesOf(db, writeConcern);
  const queue: Queue = queues.get(document) ?? { last: Promise.resolve() };
  queues.set(document, queue);
  queue.next ??= newBatch(db, document, queue, writeConcern);
  const { requests, firsts } = queue.next;
  const nth = requests.push(counts) - 1;
  return (await firsts)[nth]!;
}

/** Reserves consecutive ids and returns the first. Later ids are higher, across all processes and crashes. */
export async function nextId(db: Db, name: string, count = 1): Promise<number> {
  return (await reserve(db, name, { id: count })).id!;
}

/**
 * Reserves consecutive numbers for records of the same database, and returns the first. They stay reserved once such a
 * record is durable. Until then a crash of MongoDB may free them: show them to nobody, and let an index refuse repeated ones.
 */
export async function nextNumber(db: Db, name: string, count = 1): Promise<number> {
  return (await reserve(db, name, { id: count }, quick)).id!;
}

async function refill(db: Db, document: string, { free }: Blocks, counts: Counts): Promise<void> {
  const sizes = Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, Math.max(blockSize, count)]));
  const firsts = await reserve(db, document, sizes);
  for (const [name, next] of Object.entries(firsts)) free.set(name, { next, end: next + sizes[name]! });
}

/**
 * Reserves consecutive ids of several kinds: `nextIds(db, "ids", { builds: 1, jobs: 4 })` returns the first of each. They
 * come from blocks that this process has reserved, so most calls cost nothing and ids of different processes are in no
 * order. The rest of a block is lost when the process ends.
 */
export async function nextIds<K extends string>(db: Db, document: string, counts: Counts<K>): Promise<Counts<K>> {
  const source = sourceOf(db);
  const blocks: Blocks = source.blocks.get(document) ?? { free: new Map() };
  source.blocks.set(document, blocks);
  const requested = Object.entries<number>(counts).filter(([, count]) => count > 0);
  const missingFrom = () =>
    requested.filter(([name, count]) => {
      const block = blocks.free.get(name);
      return !block || block.end - block.next < count;
    });
  for (let missing = missingFrom(); missing.length > 0; missing = missingFrom()) {
    blocks.refilling ??= refill(db, document, blocks, Object.fromEntries(missing)).finally(() => {
      blocks.refilling = undefined;
    });
    await blocks.refilling;
  }
  const firsts: Counts = { ...counts };
  for (const [name, count] of requested) {
    const block = blocks.free.get(name)!;
    firsts[name] = block.next;
    block.next += count;
  }
  return firsts as Counts<K>;
}
