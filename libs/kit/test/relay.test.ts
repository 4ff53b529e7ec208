import { eventually } from "@ci/testkit/eventually";
import { suite } from "@ci/testkit/suite";
import { type Outbox, type OutboxEvent, outboxEvent } from "../src/mongo/document.js";
import { ensureIndexes, openMongo } from "../src/mongo/mongo.js";
import { newsOf, outboxIndex, relay } from "../src/mongo/outbox.js";
import { courier } from "../src/mongo/outbox-courier.js";
import { createLog } from "../src/process/log.js";
import { metrics } from "../src/process/metrics.js";

const names = suite();
const log = createLog("test", "silent");
let mongo: Awaited<ReturnType<typeof openMongo>>;
const docs = () => mongo.db.collection<Outbox & { _id: number }>("docs");
const event = (seq: number, buildId = 1, at = new Date(seq)) =>
  outboxEvent({ kind: "build.pinned", at, buildId, seq, body: undefined });
const seqOf = ({ json }: OutboxEvent): number => JSON.parse(json).seq;

beforeAll(async () => {
  mongo = await openMongo(names.mongoUrl, names.mongoDb);
  await ensureIndexes(docs(), [outboxIndex]);
});
afterEach(() => docs().deleteMany({ _id: { $gt: 0 } }));
afterAll(() => mongo[Symbol.asyncDispose]());

/** Runs a relay while `work` runs, and returns the published events in order. */
async function withRelay(
  publish: (event: OutboxEvent) => Promise<void>,
  work: (nudge: ReturnType<typeof relay>["nudge"]) => Promise<void>,
) {
  const published: OutboxEvent[] = [];
  const stop = new AbortController();
  const bus = {
    async publish(event: OutboxEvent) {
      await publish(event);
      published.push(event);
    },
  };
  const { nudge, done } = relay([docs() as never], bus, { signal: stop.signal, log });
  try {
    await work(nudge);
  } finally {
    stop.abort();
    await done;
  }
  return published;
}

const allPublished = () =>
  eventually(async () => expect(await docs().countDocuments({ "outbox.at": { $exists: true } })).toBe(0));
const upTo = (last: number) => Array.from({ length: last }, (_, nth) => nth + 1);

it("the relay publishes a backlog in one sweep, oldest first and many documents at once", async () => {
  const ids = upTo(450);
  // They are inserted newest first.
  await docs().insertMany(ids.map((id) => ({ _id: id, outbox: [event(1_000 - id)] })));
  let maxRunning = 0;
  let running = 0;
  const published = await withRelay(async () => {
    maxRunning = Math.max(maxRunning, ++running);
    await new Promise(setImmediate);
    running--;
  }, allPublished);
  expect(published.map(seqOf)).toEqual(ids.map((id) => 1_000 - id).toReversed());
  expect(maxRunning).toBeGreaterThan(100);
});

function sweeper() {
  const published: OutboxEvent[] = [];
  const nats = { isAway: false };
  const publish = async (event: OutboxEvent) => {
    if (nats.isAway) throw new Error("NATS is away");
    published.push(event);
  };
  const collection = docs() as never as Parameters<typeof courier>[0];
  const { sweep } = courier(collection, publish, { signal: new AbortController().signal, log });
  return { sweep, nats, published };
}

it("one sweep publishes everything that waited while NATS was away", async () => {
  const { sweep, nats, published } = sweeper();
  await sweep();
  nats.isAway = true;
  await docs().insertMany(upTo(450).map((id) => ({ _id: id, outbox: [event(id)] })));
  await sweep();
  await sweep();
  nats.isAway = false;
  await sweep();
  expect(published.map(seqOf)).toEqual(upTo(450));
});

it("a sweep leaves new events to their news, and the next one publishes them", async () => {
  const { sweep, published } = sweeper();
  await sweep();
  // On a machine that stalls, they are still new.
  const at = new Date(Date.now() + 3_600_000);
  await docs().insertMany(upTo(150).map((id) => ({ _id: id, outbox: [event(id, id, at)] })));
  await sweep();
  expect(published).toEqual([]);
  await sweep();
  expect(published).toHaveLength(150);
});

it("the relay keeps the order within a document, however many events wait", async () => {
  await docs().insertOne({ _id: 1, outbox: upTo(11).map((seq) => event(seq)) });
  let running = 0;
  const published = await withRelay(
    async () => {
      expect(++running).toBe(1);
      await new Promise(setImmediate);
      running--;
    },
    async (nudge) => {
      nudge(docs() as never, 1);
      await allPublished();
    },
  );
  expect(published.map(seqOf)).toEqual(upTo(11));
});

it("the relay skips and keeps documents whose events are rejected", async () => {
  await docs().insertMany(upTo(300).map((id) => ({ _id: id, outbox: [event(id, id), event(1_000 + id, id)] })));
  const isRejected = ({ json }: OutboxEvent) => JSON.parse(json).buildId % 2 === 1;
  await withRelay(
    async (event) => {
      if (isRejected(event)) throw new Error("too large");
    },
    () => eventually(async () => expect(await docs().countDocuments({ "outbox.at": { $exists: true } })).toBe(150)),
  );
  const remaining = await docs()
    .find({ "outbox.at": { $exists: true } })
    .toArray();
  expect(remaining.every(({ _id, outbox }) => _id % 2 === 1 && outbox.length === 2)).toBe(true);
});

it.each([1, 4, 5, 9])("the relay removes a deleted document with the last of its %d events", async (count) => {
  await docs().insertOne({ _id: 1, outbox: upTo(count).map((seq) => event(seq)), deletedAt: new Date(0) });
  const published = await withRelay(
    async () => {},
    () => eventually(async () => expect(await docs().countDocuments({ _id: 1 })).toBe(0)),
  );
  expect(published.map(seqOf)).toEqual(upTo(count));
});

it("the relay publishes in the order of nudges, also for documents written meanwhile", async () => {
  const published = await withRelay(
    async () => {},
    async (nudge) => {
      for (const seq of upTo(200)) {
        const outbox = [event(seq, seq, new Date())];
        await docs().insertOne({ _id: seq, outbox });
        nudge(docs() as never, seq, seq % 3 === 0 ? undefined : newsOf(outbox));
      }
      await allPublished();
    },
  );
  const firstCopies = published.filter((event, nth) => published.findIndex(({ id }) => id === event.id) === nth);
  expect(firstCopies.map(seqOf)).toEqual(upTo(200));
});

it("the relay keeps the order if there are more nudges than it can hold", async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const published = await withRelay(
    () => released,
    async (nudge) => {
      const outboxes = upTo(10_600).map((seq) => [event(seq, seq, new Date(1_000_000 + seq))]);
      await docs().insertMany(outboxes.map((outbox, nth) => ({ _id: nth + 1, outbox })));
      // After the first few events, nothing is published until all nudges have arrived.
      for (const [nth, [event]] of outboxes.slice(0, 10_300).entries())
        nudge(docs() as never, nth + 1, newsOf([event!]));
      await new Promise(setImmediate);
      for (const [nth, [event]] of outboxes.slice(10_300).entries())
        nudge(docs() as never, nth + 10_301, newsOf([event!]));
      release();
      await allPublished();
    },
  );
  const firstCopies = published.filter((event, nth) => published.findIndex(({ id }) => id === event.id) === nth);
  expect(firstCopies.map(seqOf)).toEqual(upTo(10_600));
});

it("the relay removes only events that it has published, even if another replica removes some meanwhile", async () => {
  const events = upTo(3).map((seq) => event(seq));
  await docs().insertMany([
    { _id: 1, outbox: events.slice(0, 2) },
    { _id: 2, outbox: [event(9, 2)] },
  ]);
  const published = await withRelay(async ({ id }) => {
    if (id !== events[0]!.id) return;
    await docs().updateOne({ _id: 1 }, { $pop: { outbox: -1 } });
    await docs().updateOne({ _id: 1 }, { $push: { outbox: events[2]! } });
  }, allPublished);
  expect(published.map(seqOf).toSorted()).toEqual([1, 2, 3, 9]);
});

it("the relay keeps at most 16 MiB of events in memory and reads the others from their documents", async () => {
  const pad = "x".repeat(1024 * 1024);
  const large = (seq: number) => ({ ...event(seq), json: JSON.stringify({ seq, pad }) });
  let unblock: () => void = () => undefined;
  const unblocked = new Promise<void>((resolve) => {
    unblock = resolve;
  });
  const published = await withRelay(
    () => unblocked,
    async (nudge) => {
      await docs().insertOne({ _id: 1, outbox: [event(1)] });
      nudge(docs() as never, 1, newsOf([event(1)]));
      // Only what is in memory can be published: these documents do not exist.
      for (const id of upTo(40)) nudge(docs() as never, 1_000 + id, newsOf([large(1_000 + id)]));
      // This one exists.
      await docs().insertOne({ _id: 2, outbox: [large(2)] });
      nudge(docs() as never, 2, newsOf([large(2)]));
      unblock();
      await allPublished();
    },
  );
  const seqs = published.map(seqOf);
  expect(seqs).toContain(2);
  expect(seqs.filter((seq) => seq > 1_000).length).toBeLessThanOrEqual(16);
});

it("the relay publishes later events of a document without reading it, until it does not know an earlier one", async () => {
  const [first, second, foreign, last] = upTo(4).map((seq) => event(seq));
  const published = await withRelay(
    async () => {},
    async (nudge) => {
      // There is no such document, so its events can only come from memory.
      nudge(docs() as never, 1, newsOf([first!]));
      nudge(docs() as never, 1, newsOf([second!], [first!]));
      await docs().insertOne({ _id: 2, outbox: [foreign!, last!] });
      nudge(docs() as never, 2, newsOf([last!], [foreign!]));
      await allPublished();
    },
  );
  expect(published.map(seqOf).toSorted()).toEqual([1, 2, 3, 4]);
  expect(published.map(seqOf).indexOf(3)).toBeLessThan(published.map(seqOf).indexOf(4));
});

it("the relay removes what it has published even if it stops before its next pass", async () => {
  const publishedIds: string[] = [];
  const only = event(1);
  await withRelay(
    async ({ id }) => void publishedIds.push(id),
    async (nudge) => {
      // The first pass is over once it has published this.
      await docs().insertOne({ _id: 9, outbox: [event(9)] });
      await allPublished();
      await docs().insertOne({ _id: 1, outbox: [only] });
      nudge(docs() as never, 1, newsOf([only]));
      await eventually(() => expect(publishedIds).toContain(only.id));
    },
  );
  expect((await docs().findOne({ _id: 1 }))!.outbox).toEqual([]);
});

it("the age of the oldest event does not depend on the machine's clock", async () => {
  const { now: machineTime } = Date;
  const away = () => Promise.reject(new Error("NATS is away"));
  await withRelay(away, async () => {
    await docs().insertOne({ _id: 1, outbox: [event(1, 1, new Date())] });
    Date.now = () => machineTime() + 86_400_000;
    try {
      const [, seconds] = /^ci_outbox_oldest_seconds\{collection="docs"\} (.*)$/m.exec(await metrics.metrics()) ?? [];
      expect(Number(seconds)).toBeLessThan(3_600);
    } finally {
      Date.now = machineTime;
    }
  });
});
