import type { Db, WriteConcernSettings } from "mongodb";
import { duplicateKey } from "./duplicates.js";

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

/** Calls that share one write. */
interface Batch {
  readonly requests: Counts[];
  readonly firsts: Promise<Counts[]>;
}

interface Queue {
  last: Promise<unknown>;
  next?: Batch | undefined;
}

type Reserve = (document: string, counts: Counts) => Promise<Counts>;

/**
 * Returns a function that reserves numbers of counter documents. At most one write of a document is under way. Calls in the
 * meantime share the next one.
 */
function reserving(db: Db, writeConcern: WriteConcernSettings): Reserve {
  const counters = db.collection<Counter>("counters");
  const options = { upsert: true, returnDocument: "after", writeConcern } as const;
  const queues = new Map<string, Queue>();

  /** Advances the counters of one document in one write and returns the first number of each. */
  async function advance(document: string, counts: Counts): Promise<Counts> {
    const counter = await counters
      .findOneAndUpdate({ _id: document }, { $inc: counts as never }, options)
      .catch((error) => {
        if (duplicateKey(error)) return undefined;
        throw error;
      });
    if (!counter) return advance(document, counts);
    return Object.fromEntries(
      Object.entries(counts).map(([name, count]) => [name, (counter[name] as number) - count + 1]),
    );
  }

  /** Advances the counters once for all requests, and divides the numbers among them in order. */
  async function advanceForAll(document: string, requests: readonly Counts[]): Promise<Counts[]> {
    const sums: Counts = {};
    for (const request of requests)
      for (const [name, count] of Object.entries(request)) sums[name] = (sums[name] ?? 0) + count;
    const next = await advance(document, sums);
    return requests.map((request) => {
      const firsts = Object.fromEntries(Object.keys(request).map((name) => [name, next[name]!]));
      for (const [name, count] of Object.entries(request)) next[name]! += count;
      return firsts;
    });
  }

  function newBatch(document: string, queue: Queue): Batch {
    const requests: Counts[] = [];
    const firsts = queue.last.then(() => {
      queue.next = undefined;
      return advanceForAll(document, requests);
    });
    queue.last = firsts
      .catch(() => undefined)
      .then(() => {
        if (!queue.next) queues.delete(document);
      });
    return { requests, firsts };
  }

  return async (document, counts) => {
    const queue: Queue = queues.get(document) ?? { last: Promise.resolve() };
    queues.set(document, queue);
    queue.next ??= newBatch(document, queue);
    const { requests, firsts } = queue.next;
    const nth = requests.push(counts) - 1;
    return (await firsts)[nth]!;
  };
}

interface Blocks {
  readonly free: Map<string, { next: number; end: number }>;
  refilling?: Promise<void> | undefined;
}

interface Source {
  readonly reserve: Reserve;
  readonly reserveQuickly: Reserve;
  readonly blocks: Map<string, Blocks>;
}

const sources = new WeakMap<Db, Source>();

function sourceOf(db: Db): Source {
  const known = sources.get(db);
  if (known) return known;
  const source = { reserve: reserving(db, durable), reserveQuickly: reserving(db, quick), blocks: new Map() };
  sources.set(db, source);
  return source;
}

/** Reserves consecutive ids and returns the first. Later ids are higher, across all processes and crashes. */
export async function nextId(db: Db, name: string, count = 1): Promise<number> {
  return (await sourceOf(db).reserve(name, { id: count })).id!;
}

/**
 * Reserves consecutive numbers for records of the same database, and returns the first. They stay reserved once such a
 * record is durable. Until then a crash of MongoDB may free them: show them to nobody, and let an index refuse repeated ones.
 */
export async function nextNumber(db: Db, name: string, count = 1): Promise<number> {
  return (await sourceOf(db).reserveQuickly(name, { id: count })).id!;
}

async function refill(reserve: Reserve, document: string, { free }: Blocks, counts: Counts): Promise<void> {
  const sizes = Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, Math.max(blockSize, count)]));
  const firsts = await reserve(document, sizes);
  for (const [name, next] of Object.entries(firsts)) free.set(name, { next, end: next + sizes[name]! });
}

/**
 * Reserves consecutive ids of several kinds: `nextIds(db, "ids", { builds: 1, jobs: 4 })` returns the first of each. They
 * come from blocks that this process has reserved, so most calls cost nothing and ids of different processes are in no
 * order. The rest of a block is lost when the process ends.
 */
export async function nextIds<K extends string>(db: Db, document: string, counts: Counts<K>): Promise<Counts<K>> {
  const { reserve, blocks: known } = sourceOf(db);
  const blocks: Blocks = known.get(document) ?? { free: new Map() };
  known.set(document, blocks);
  const requested = Object.entries<number>(counts).filter(([, count]) => count > 0);
  const missingFrom = () =>
    requested.filter(([name, count]) => {
      const block = blocks.free.get(name);
      return !block || block.end - block.next < count;
    });
  for (let missing = missingFrom(); missing.length > 0; missing = missingFrom()) {
    blocks.refilling ??= refill(reserve, document, blocks, Object.fromEntries(missing)).finally(() => {
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
