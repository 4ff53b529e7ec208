import type { Event } from "@ci/proto/events/v1/events";
import { eventually } from "@ci/testkit/eventually";
import { suite } from "@ci/testkit/suite";
import { connect } from "nats";
import { type Bus, connectBus } from "../src/bus/bus.js";
import { consume } from "../src/bus/consume.js";
import { outboxEvent } from "../src/mongo/document.js";
import { leaseOf } from "../src/mongo/lease.js";
import { openMongo } from "../src/mongo/mongo.js";
import { createLog } from "../src/process/log.js";

const names = suite();
const log = createLog("test", "silent");
let mongo: Awaited<ReturnType<typeof openMongo>>;
let bus: Bus;
const kind = "build.pinned";
const upTo = (last: number) => Array.from({ length: last }, (_, nth) => nth + 1);
const emit = (seqs: readonly number[], of = kind) =>
  Promise.all(
    seqs.map((seq) => bus.publish(outboxEvent({ kind: of, at: new Date(0), buildId: 1, seq, body: undefined }))),
  );
const connected = () => connectBus(names.natsUrl, names.subjectPrefix, "test", log);

const streamOf = (prefix: string) => `${prefix.toUpperCase().replace(/[^A-Z0-9]/g, "_")}_EVENTS`;

beforeAll(async () => {
  mongo = await openMongo(names.mongoUrl, names.mongoDb);
  bus = await connected();
});
afterAll(async () => {
  await bus[Symbol.asyncDispose]();
  await mongo[Symbol.asyncDispose]();
});

it("hands over many at a time in order; of those that fail together, each alone", async () => {
  await emit(upTo(500), "build.tagged");
  const batches: number[][] = [];
  const handled: number[] = [];
  let broken = true;
  await using own = await connected();
  await own.subscribeMany("many", ["build.tagged"], { lease: leaseOf(mongo.db, "many") }, async (events) => {
    const seqs = events.map(({ seq }) => seq!);
    batches.push(seqs);
    if (broken && seqs.includes(3)) throw new Error("not yet");
    handled.push(...seqs);
  });
  await eventually(() => expect(batches.filter((one) => one.length === 1 && one[0] === 3).length).toBeGreaterThan(1));
  const largest = () => Math.max(...batches.map(({ length }) => length));
  await eventually(() => expect(largest()).toBe(200));
  expect(handled).toEqual([1, 2]);
  broken = false;
  await eventually(() => expect(handled).toEqual(upTo(500)));
  expect(largest()).toBe(200);
});

it("of several processes one has them all; when it stops, the next goes on at once and in order", async () => {
  const heard: [string, number][] = [];
  const lease = () => leaseOf(mongo.db, "pins");
  const hear = (name: string) => async (events: readonly Event[]) => {
    await new Promise(setImmediate);
    for (const { seq } of events) heard.push([name, seq!]);
  };
  await using second = await connected();
  {
    await using first = await connected();
    await first.subscribeMany("pins", [kind], { lease: lease() }, hear("first"));
    await emit([1]);
    await eventually(() => expect(heard).toEqual([["first", 1]]));
    await second.subscribeMany("pins", [kind], { lease: lease() }, hear("second"));
    for (const seq of upTo(50).slice(1)) await emit([seq]);
    await eventually(() => expect(heard.map(([name, seq]) => `${name} ${seq}`)).toContain("first 50"));
    for (const seq of [51, 52, 53]) await emit([seq]);
  }
  await emit([54]);
  await eventually(() => expect(heard.at(-1)).toEqual(["second", 54]));
  const order = [...new Set(heard.map(([, seq]) => seq))];
  expect(order).toEqual(upTo(54));
  expect(new Set(heard.slice(0, 50).map(([name]) => name))).toEqual(new Set(["first"]));
});

it("events that are not urgent are handled together with those that come a little later", async () => {
  const batches: number[][] = [];
  await using own = await connected();
  const how = { lease: leaseOf(mongo.db, "gathered"), gatherMs: 3_000 };
  await own.subscribeMany("gathered", ["build.unpinned"], how, async (events) => {
    batches.push(events.map(({ seq }) => seq!));
  });
  for (const seq of [1, 2, 3]) await emit([seq], "build.unpinned");
  await eventually(() => expect(batches.flat()).toEqual([1, 2, 3]));
  // On a machine that stalls one may come too late for the others.
  expect(batches.length).toBeLessThan(3);
});

it("what a process that died had in hand comes to the next before anything later", async () => {
  const durable = "lost";
  const subscribe = (to: Bus, hear: (seq: number) => void) =>
    to.subscribeMany(durable, ["build.started"], { lease: leaseOf(mongo.db, durable) }, async (events) => {
      for (const { seq } of events) hear(seq!);
    });
  {
    await using before = await connected();
    await subscribe(before, () => {});
  }
  await emit([1, 2, 3], "build.started");
  // It takes what there is, confirms nothing, and is gone without a word.
  const dead = await connect({ servers: names.natsUrl });
  const consumer = await dead.jetstream().consumers.get(streamOf(names.subjectPrefix), durable);
  for await (const { seq } of await consumer.fetch({ max_messages: 3 })) expect(seq).toBeGreaterThan(0);
  await dead.close();
  await emit([4], "build.started");
  const heard: number[] = [];
  await using next = await connected();
  await subscribe(next, (seq) => heard.push(seq));
  await eventually(() => expect([...new Set(heard)]).toEqual([1, 2, 3, 4]));
});

it("one that fails for good waits aside while others pass, and comes again", async () => {
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
      if (poisonous && events.some(({ seq }) => Number(seq) === 2)) throw new Error("never");
      handled.push(...events.map(({ seq }) => Number(seq)));
    },
    gatherMs: 0,
    atATime: 10,
    patienceMs: 300,
    connection: () => 1,
    signal: stop.signal,
    log,
  });
  await emit([1, 2, 3, 4], "images");
  await eventually(() => expect(handled).toEqual([1, 3, 4]));
  poisonous = false;
  await eventually(() => expect(handled).toEqual([1, 3, 4, 2]));
  stop.abort();
  await done;
  await nats.close();
});
