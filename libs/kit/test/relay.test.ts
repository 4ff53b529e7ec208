import { eventually } from "@ci/testkit/eventually";
import { suite } from "@ci/testkit/suite";
import { type Outbox, type OutboxEvent, outboxEvent } from "../src/mongo/document.js";
import { ensureIndexes, openMongo } from "../src/mongo/mongo.js";
import { outboxIndex, relay } from "../src/mongo/outbox.js";
import { createLog } from "../src/process/log.js";

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

/** Runs a relay until the work is done; returns the published events in order. */
async function relaying(
  publish: (event: OutboxEvent) => Promise<void>,
  work: (nudge: ReturnType<typeof relay>["nudge"]) => Promise<void>,
) {
  const sent: OutboxEvent[] = [];
  const stop = new AbortController();
  const bus = {
    async publish(one: OutboxEvent) {
      await publish(one);
      sent.push(one);
    },
  };
  const { nudge, done } = relay([docs() as never], bus, { signal: stop.signal, log });
  try {
    await work(nudge);
  } finally {
    stop.abort();
    await done;
  }
  return sent;
}

const allGone = () =>
  eventually(async () => expect(await docs().countDocuments({ "outbox.at": { $exists: true } })).toBe(0));
const upTo = (last: number) => Array.from({ length: last }, (_, nth) => nth + 1);

it("publishes a backlog in one sweep, oldest first and many documents at once", async () => {
  const ids = upTo(450);
  // Written in the opposite order of their times.
  await docs().insertMany(ids.map((id) => ({ _id: id, outbox: [event(1_000 - id)] })));
  let most = 0;
  let open = 0;
  const sent = await relaying(async () => {
    most = Math.max(most, ++open);
    await new Promise(setImmediate);
    open--;
  }, allGone);
  expect(sent.map(seqOf)).toEqual(ids.map((id) => 1_000 - id).toReversed());
  expect(most).toBeGreaterThan(100);
});

it("keeps the order within a document, however many events wait", async () => {
  await docs().insertOne({ _id: 1, outbox: upTo(11).map((seq) => event(seq)) });
  let open = 0;
  const sent = await relaying(
    async () => {
      expect(++open).toBe(1);
      await new Promise(setImmediate);
      open--;
    },
    async (nudge) => {
      nudge(docs() as never, 1);
      await allGone();
    },
  );
  expect(sent.map(seqOf)).toEqual(upTo(11));
});

it("skips and keeps documents whose events are refused", async () => {
  await docs().insertMany(upTo(300).map((id) => ({ _id: id, outbox: [event(id, id), event(1_000 + id, id)] })));
  const refused = ({ json }: OutboxEvent) => JSON.parse(json).buildId % 2 === 1;
  await relaying(
    async (one) => {
      if (refused(one)) throw new Error("too large");
    },
    () => eventually(async () => expect(await docs().countDocuments({ "outbox.at": { $exists: true } })).toBe(150)),
  );
  const left = await docs()
    .find({ "outbox.at": { $exists: true } })
    .toArray();
  expect(left.every(({ _id, outbox }) => _id % 2 === 1 && outbox.length === 2)).toBe(true);
});

it.each([1, 4, 5, 9])("removes a deleted document with the last of its %d events", async (count) => {
  await docs().insertOne({ _id: 1, outbox: upTo(count).map((seq) => event(seq)), deletedAt: new Date(0) });
  const sent = await relaying(
    async () => {},
    () => eventually(async () => expect(await docs().countDocuments({ _id: 1 })).toBe(0)),
  );
  expect(sent.map(seqOf)).toEqual(upTo(count));
});

it("publishes in order of the news, also with documents written in between", async () => {
  const sent = await relaying(
    async () => {},
    async (nudge) => {
      for (const seq of upTo(200)) {
        const outbox = [event(seq, seq, new Date())];
        await docs().insertOne({ _id: seq, outbox });
        nudge(docs() as never, seq, seq % 3 === 0 ? undefined : outbox[0]);
      }
      await allGone();
    },
  );
  const first = sent.filter((one, nth) => sent.findIndex(({ id }) => id === one.id) === nth);
  expect(first.map(seqOf)).toEqual(upTo(200));
});

it("keeps the order when there is more news than it can hold", async () => {
  let goOn = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const sent = await relaying(
    () => held,
    async (nudge) => {
      const outboxes = upTo(10_600).map((seq) => [event(seq, seq, new Date(1_000_000 + seq))]);
      await docs().insertMany(outboxes.map((outbox, nth) => ({ _id: nth + 1, outbox })));
      // Nothing goes out before all are told of, but for the few that it began with.
      for (const [nth, [one]] of outboxes.slice(0, 10_300).entries()) nudge(docs() as never, nth + 1, one);
      await new Promise(setImmediate);
      for (const [nth, [one]] of outboxes.slice(10_300).entries()) nudge(docs() as never, nth + 10_301, one);
      goOn();
      await allGone();
    },
  );
  const first = sent.filter((one, nth) => sent.findIndex(({ id }) => id === one.id) === nth);
  expect(first.map(seqOf)).toEqual(upTo(10_600));
});

it("removes only what it has published, whatever another replica removes meanwhile", async () => {
  const events = upTo(3).map((seq) => event(seq));
  await docs().insertMany([
    { _id: 1, outbox: events.slice(0, 2) },
    { _id: 2, outbox: [event(9, 2)] },
  ]);
  const sent = await relaying(async ({ id }) => {
    if (id !== events[0]!.id) return;
    await docs().updateOne({ _id: 1 }, { $pop: { outbox: -1 } });
    await docs().updateOne({ _id: 1 }, { $push: { outbox: events[2]! } });
  }, allGone);
  expect(sent.map(seqOf).toSorted()).toEqual([1, 2, 3, 9]);
});
