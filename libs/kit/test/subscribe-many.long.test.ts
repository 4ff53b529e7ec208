import type { Event } from "@ci/proto/events/v1/events";
import { eventually } from "@ci/testkit/eventually";
import { suite } from "@ci/testkit/suite";
import { connect } from "nats";
import { type Bus, connectBus } from "../src/bus/bus.js";
import { consume } from "../src/bus/consume.js";
import { outboxEvent } from "../src/mongo/document.js";
import { type Lease, leaseOf } from "../src/mongo/lease.js";
import { openMongo } from "../src/mongo/mongo.js";
import { createLog } from "../src/process/log.js";

const names = suite();
const log = createLog("test", "silent");
let mongo: Awaited<ReturnType<typeof openMongo>>;
let bus: Bus;
const kind = "build.pinned";
const upTo = (last: number) => Array.from({ length: last }, (_, nth) => nth + 1);
const emit = (seqs: readonly number[], eventKind = kind) =>
  Promise.all(
    seqs.map((seq) => bus.publish(outboxEvent({ kind: eventKind, at: new Date(0), buildId: 1, seq, body: undefined }))),
  );
const connectToBus = () => connectBus(names.natsUrl, names.subjectPrefix, "test", log);

/** Returns a lease that does not end because its holder stalls. */
function lastingLease(name: string): Lease {
  const lease = leaseOf(mongo.db, name);
  return { ...lease, take: () => lease.take(600_000) };
}

const streamOf = (prefix: string) => `${prefix.toUpperCase().replace(/[^A-Z0-9]/g, "_")}_EVENTS`;

beforeAll(async () => {
  mongo = await openMongo(names.mongoUrl, names.mongoDb);
  bus = await connectToBus();
});
afterAll(async () => {
  await bus[Symbol.asyncDispose]();
  await mongo[Symbol.asyncDispose]();
});

it("the handler receives batches in order, and single events after a batch has failed", async () => {
  await emit(upTo(500), "build.tagged");
  const batches: number[][] = [];
  const handled: number[] = [];
  let broken = true;
  await using ownBus = await connectToBus();
  await ownBus.subscribeMany("many", ["build.tagged"], { lease: lastingLease("many") }, async (events) => {
    const seqs = events.map(({ seq }) => seq!);
    batches.push(seqs);
    if (broken && seqs.includes(3)) throw new Error("not yet");
    handled.push(...seqs);
  });
  await eventually(() =>
    expect(batches.filter((batch) => batch.length === 1 && batch[0] === 3).length).toBeGreaterThan(1),
  );
  const largest = () => Math.max(...batches.map(({ length }) => length));
  await eventually(() => expect(largest()).toBe(200));
  expect(handled).toEqual([1, 2]);
  broken = false;
  await eventually(() => expect(handled).toContain(500));
  // On a machine that stalls, events may be delivered once more.
  expect([...new Set(handled)]).toEqual(upTo(500));
  expect(largest()).toBe(200);
});

it("a reader without events keeps its lease", async () => {
  const lease = lastingLease("idle");
  const takenAt: number[] = [];
  let trustedMs = 0;
  let released = 0;
  const counting: Lease = {
    term: lease.term,
    take(forMs) {
      takenAt.push(performance.now());
      trustedMs = forMs - 1_000;
      return lease.take(forMs);
    },
    release: () => {
      released++;
      return lease.release();
    },
  };
  await using ownBus = await connectToBus();
  await ownBus.subscribeMany("idle", ["build.retagged"], { lease: counting }, async () => undefined);
  await eventually(() => {
    expect(takenAt.length).toBeGreaterThan(4);
    // A machine that stalls renews late at times.
    const pauses = takenAt.slice(2).map((at, nth) => at - takenAt[nth + 1]!);
    expect(Math.min(...pauses)).toBeLessThan(trustedMs);
  });
  expect(released).toBe(0);
});

it("one process receives all events; when it stops, the next one continues at once and in order", async () => {
  const received: [string, number][] = [];
  const lease = () => lastingLease("pins");
  const receive = (name: string) => async (events: readonly Event[]) => {
    await new Promise(setImmediate);
    for (const { seq } of events) received.push([name, seq!]);
  };
  await using secondBus = await connectToBus();
  {
    await using firstBus = await connectToBus();
    await firstBus.subscribeMany("pins", [kind], { lease: lease() }, receive("first"));
    await emit([1]);
    await eventually(() => expect(received).toEqual([["first", 1]]));
    await secondBus.subscribeMany("pins", [kind], { lease: lease() }, receive("second"));
    for (const seq of upTo(50).slice(1)) await emit([seq]);
    await eventually(() => expect(received.map(([name, seq]) => `${name} ${seq}`)).toContain("first 50"));
    for (const seq of [51, 52, 53]) await emit([seq]);
  }
  await emit([54]);
  await eventually(() => expect(received.at(-1)).toEqual(["second", 54]));
  const order = [...new Set(received.map(([, seq]) => seq))];
  expect(order).toEqual(upTo(54));
  expect(new Set(received.slice(0, 50).map(([name]) => name))).toEqual(new Set(["first"]));
});

it("events that arrive within gatherMs are batched", async () => {
  const batches: number[][] = [];
  await using ownBus = await connectToBus();
  const options = { lease: lastingLease("gathered"), gatherMs: 3_000 };
  await ownBus.subscribeMany("gathered", ["build.unpinned"], options, async (events) => {
    batches.push(events.map(({ seq }) => seq!));
  });
  for (const seq of [1, 2, 3]) await emit([seq], "build.unpinned");
  // On a busy machine an event may arrive too late for the batch, or once more.
  await eventually(() => expect([...new Set(batches.flat())]).toEqual([1, 2, 3]));
  expect(Math.max(...batches.map(({ length }) => length))).toBeGreaterThan(1);
});

it("if a process dies, the next one receives its unacknowledged events before later ones", async () => {
  const durable = "lost";
  const subscribe = (target: Bus, receive: (seq: number) => void) =>
    target.subscribeMany(durable, ["build.started"], { lease: lastingLease(durable) }, async (events) => {
      for (const { seq } of events) receive(seq!);
    });
  {
    await using firstBus = await connectToBus();
    await subscribe(firstBus, () => {});
  }
  await emit([1, 2, 3], "build.started");
  // This process receives all events, acknowledges none and disappears.
  const deadProcess = await connect({ servers: names.natsUrl });
  const consumer = await deadProcess.jetstream().consumers.get(streamOf(names.subjectPrefix), durable);
  for await (const { seq } of await consumer.fetch({ max_messages: 3 })) expect(seq).toBeGreaterThan(0);
  await deadProcess.close();
  await emit([4], "build.started");
  const received: number[] = [];
  await using nextBus = await connectToBus();
  await subscribe(nextBus, (seq) => received.push(seq));
  await eventually(() => expect([...new Set(received)]).toEqual([1, 2, 3, 4]));
});

it("events that another process still holds come first, even if it confirms some that were delivered again", async () => {
  const durable = "deposed";
  const stream = streamOf(names.subjectPrefix);
  const received: number[] = [];
  const subscribe = (target: Bus) =>
    target.subscribeMany(durable, ["build.canceled"], { lease: lastingLease(durable) }, async (events) => {
      received.push(...events.map(({ seq }) => seq!));
    });
  {
    await using firstBus = await connectToBus();
    await subscribe(firstBus);
  }
  await emit([1], "build.canceled");
  await emit([2], "build.canceled");
  const nats = await connect({ servers: names.natsUrl });
  const manager = await nats.jetstreamManager();
  const request = { noMux: true, timeout: 30_000 };
  const next = `$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`;
  const receive = async () => (await nats.request(next, undefined, request)).reply!;
  const [first, second] = [await receive(), await receive()];
  const keepSecond = setInterval(() => nats.publish(second, "+WPI"), 500);
  let looks = 0;
  nats.subscribe(`$JS.API.CONSUMER.INFO.${stream}.${durable}`, { callback: () => looks++ });
  await using nextBus = await connectToBus();
  await subscribe(nextBus);
  await eventually(() => expect(looks).toBeGreaterThan(3));
  // The first event is delivered again, and then confirmed by its first recipient.
  nats.publish(first, "-NAK");
  await emit([3], "build.canceled");
  const info = () => manager.consumers.info(stream, durable);
  await eventually(async () => expect(await info()).toMatchObject({ num_redelivered: 1, num_pending: 0 }));
  nats.publish(first, "+ACK");
  await eventually(async () => expect(await info()).toMatchObject({ num_ack_pending: 2 }));
  const before = looks;
  await eventually(() => expect(looks).toBeGreaterThan(before + 5));
  expect(received).toEqual([]);
  clearInterval(keepSecond);
  nats.publish(second, "-NAK");
  await eventually(() => expect(received).toEqual([1, 2, 3]));
  await nats.close();
});

it("events that keep failing do not hold up the others, and are delivered again later", async () => {
  const nats = await connect({ servers: names.natsUrl });
  const manager = await nats.jetstreamManager();
  const stream = streamOf(names.subjectPrefix);
  const subject = `${names.subjectPrefix}.events.images`;
  await manager.consumers.add(stream, {
    durable_name: "aside",
    filter_subject: subject,
    ack_policy: "explicit" as never,
  });
  const handled: number[] = [];
  let poisonous = true;
  const stop = new AbortController();
  const done = consume({
    open: () => nats.jetstream().consumers.get(stream, "aside"),
    read: (message) => message.json<Event>(),
    async handle(events) {
      if (poisonous && events.some(({ seq }) => [2, 3].includes(Number(seq)))) throw new Error("never");
      handled.push(...events.map(({ seq }) => Number(seq)));
    },
    gatherMs: 0,
    maxBatch: 10,
    patienceMs: 300,
    connection: () => 1,
    signal: stop.signal,
    log,
  });
  for (const seq of [1, 2, 3, 4, 5]) await emit([seq], "images");
  await eventually(() => expect(handled).toEqual([1, 4, 5]));
  poisonous = false;
  await eventually(() => expect([...handled].sort()).toEqual([1, 2, 3, 4, 5]));
  stop.abort();
  await done;
  await nats.close();
});
