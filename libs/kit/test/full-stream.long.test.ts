import { eventually } from "@ci/testkit/eventually";
import { suite } from "@ci/testkit/suite";
import { connect, DiscardPolicy, type JetStreamManager, type NatsConnection, nanos, RetentionPolicy } from "nats";
import { type Bus, connectBus } from "../src/bus/bus.js";
import { type Outbox, type OutboxEvent, outboxEvent } from "../src/mongo/document.js";
import { leaseOf } from "../src/mongo/lease.js";
import { ensureIndexes, openMongo } from "../src/mongo/mongo.js";
import { outboxIndex, relay } from "../src/mongo/outbox.js";
import { createLog } from "../src/process/log.js";
import { metrics } from "../src/process/metrics.js";

const names = suite();
const log = createLog("test", "silent");
const stream = `${names.subjectPrefix.toUpperCase()}_EVENTS`;
const forEver = 365 * 24 * 60 * 60 * 1_000;
const upTo = (last: number) => Array.from({ length: last }, (_, nth) => nth + 1);
let mongo: Awaited<ReturnType<typeof openMongo>>;
let nats: NatsConnection;
let manager: JetStreamManager;
let bus: Bus;

beforeAll(async () => {
  mongo = await openMongo(names.mongoUrl, names.mongoDb);
  nats = await connect({ servers: names.natsUrl });
  manager = await nats.jetstreamManager();
});
beforeEach(async () => {
  await manager.streams.delete(stream).catch(() => undefined);
  bus = await connectBus(names.natsUrl, names.subjectPrefix, "test", log);
});
afterEach(() => bus[Symbol.asyncDispose]());
afterAll(async () => {
  await nats.close();
  await mongo[Symbol.asyncDispose]();
});

const anEvent = (seq: number, kind = "objects", bytes = 0): OutboxEvent => {
  const event = outboxEvent({ kind, at: new Date(), buildId: 1, seq, body: undefined });
  return { ...event, json: event.json.padEnd(bytes) };
};
const seqOf = ({ json }: OutboxEvent): number => JSON.parse(json).seq;

/** Returns the number of stored events by kind. */
async function storedCounts(): Promise<Record<string, number>> {
  const { state } = await manager.streams.info(stream, { subjects_filter: ">" });
  const kinds = Object.entries(state.subjects ?? {}).map(([subject, count]) => [subject.split(".").at(-1), count]);
  return Object.fromEntries(kinds);
}

test("connecting to the stream of an older version makes it keep all events", async () => {
  await manager.streams.delete(stream);
  await manager.streams.add({
    name: stream,
    subjects: [`${names.subjectPrefix}.events.>`],
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_age: nanos(3 * 24 * 60 * 60 * 1_000),
    max_bytes: 2 * 1024 ** 3,
    duplicate_window: nanos(120_000),
  });
  await nats.jetstream().publish(`${names.subjectPrefix}.events.objects`, "{}");
  await using _ = await connectBus(names.natsUrl, names.subjectPrefix, "test", log);
  const { config, state } = await manager.streams.info(stream);
  expect([config.discard, config.max_age, state.messages]).toEqual([DiscardPolicy.New, 0, 1]);
});

test("a full stream rejects events; they wait in the outboxes, and readers receive all of them after a trim", async () => {
  const docs = mongo.db.collection<Outbox & { _id: number }>("docs");
  await ensureIndexes(docs, [outboxIndex]);
  const countWaiting = () => docs.countDocuments({ "outbox.at": { $exists: true } });
  await bus.subscribeMany("reader", ["objects"], { lease: leaseOf(mongo.db, "reader") }, async (events) => {
    if (!reading) throw new Error("not now");
    read.push(...events.map(({ seq }) => seq!));
  });
  const read: number[] = [];
  let reading = false;
  await manager.streams.update(stream, { max_bytes: 100_000 });
  const stop = new AbortController();
  const { done } = relay([docs as never], bus, { signal: stop.signal, log });
  const events = upTo(100).map((seq) => anEvent(seq, "objects", 4_000));
  await docs.insertMany(events.map((event) => ({ _id: seqOf(event), outbox: [event] })));
  await eventually(async () => expect((await storedCounts()).objects).toBeGreaterThan(10));
  const oldestSeconds = async () =>
    Number(/^ci_outbox_oldest_seconds\{collection="docs"\} (.*)$/m.exec(await metrics.metrics())?.[1]);
  await eventually(async () => expect(await oldestSeconds()).toBeGreaterThan(2));
  // Unread events stay, whatever their age and size.
  await bus.trim(0);
  expect((await manager.streams.info(stream)).state.first_seq).toBe(1);
  const unreadSeconds = async () =>
    Number(/^ci_events_unread_seconds\{reader="reader"\} (.*)$/m.exec(await metrics.metrics())?.[1]);
  await eventually(async () => expect(await unreadSeconds()).toBeGreaterThan(0));
  expect(await countWaiting()).toBeGreaterThan(50);
  reading = true;
  await eventually(async () => {
    await bus.trim(forEver);
    expect(await countWaiting()).toBe(0);
  });
  await eventually(() => expect([...new Set(read)].toSorted((a, b) => a - b)).toEqual(upTo(100)));
  await eventually(async () => expect(await unreadSeconds()).toBe(0));
  stop.abort();
  await done;
});

test("trim removes old events of each kind once all services have read them", async () => {
  let reading = false;
  const consumeEvent = async () => {
    if (!reading) throw new Error("not now");
  };
  await bus.subscribe("slow", ["namespaces"], consumeEvent);
  await bus.subscribe("quick", ["namespaces", "objects"], async () => {});
  // The consumer of an outsider, which trim does not wait for.
  await manager.consumers.add(stream, { durable_name: "stranger", ack_policy: "explicit" as never });
  for (const seq of upTo(3))
    for (const kind of ["namespaces", "objects", "tokens"]) await bus.publish(anEvent(seq, kind));
  await bus.trim(forEver);
  expect(await storedCounts()).toEqual({ namespaces: 3, objects: 3, tokens: 3 });
  await eventually(async () => {
    await bus.trim(0);
    expect(await storedCounts()).toEqual({ namespaces: 3 });
  });
  reading = true;
  await eventually(async () => {
    await bus.trim(0);
    expect(await storedCounts()).toEqual({});
  });
});
