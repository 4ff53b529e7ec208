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

/** The subjects and numbers of what the stream has. */
async function stored(): Promise<Record<string, number>> {
  const { state } = await manager.streams.info(stream, { subjects_filter: ">" });
  const kinds = Object.entries(state.subjects ?? {}).map(([subject, count]) => [subject.split(".").at(-1), count]);
  return Object.fromEntries(kinds);
}

test("a stream that an older version has made loses nothing any more", async () => {
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

test("a full stream refuses, the outboxes wait, and every event is read in the end", async () => {
  const docs = mongo.db.collection<Outbox & { _id: number }>("docs");
  await ensureIndexes(docs, [outboxIndex]);
  const outboxEvent = () => docs.countDocuments({ "outbox.at": { $exists: true } });
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
  await eventually(async () => expect((await stored()).objects).toBeGreaterThan(10));
  const oldest = async () =>
    Number(/^ci_outbox_oldest_seconds\{collection="docs"\} (.*)$/m.exec(await metrics.metrics())?.[1]);
  await eventually(async () => expect(await oldest()).toBeGreaterThan(2));
  // What nobody has read yet stays, however old or much it is.
  await bus.trim(0);
  expect((await manager.streams.info(stream)).state.first_seq).toBe(1);
  const unread = async () =>
    Number(/^ci_events_unread_seconds\{reader="reader"\} (.*)$/m.exec(await metrics.metrics())?.[1]);
  await eventually(async () => expect(await unread()).toBeGreaterThan(0));
  expect(await outboxEvent()).toBeGreaterThan(50);
  reading = true;
  await eventually(async () => {
    await bus.trim(forEver);
    expect(await outboxEvent()).toBe(0);
  });
  await eventually(() => expect([...new Set(read)].toSorted((a, b) => a - b)).toEqual(upTo(100)));
  await eventually(async () => expect(await unread()).toBe(0));
  stop.abort();
  await done;
});

test("what is old goes when all readers of the services have it, of each kind for itself", async () => {
  let reading = false;
  const hear = async () => {
    if (!reading) throw new Error("not now");
  };
  await bus.subscribe("slow", ["namespaces"], hear);
  await bus.subscribe("quick", ["namespaces", "objects"], async () => {});
  // This reader is not a service's, so trimming does not wait for it.
  await manager.consumers.add(stream, { durable_name: "stranger", ack_policy: "explicit" as never });
  for (const seq of upTo(3))
    for (const kind of ["namespaces", "objects", "tokens"]) await bus.publish(anEvent(seq, kind));
  await bus.trim(forEver);
  expect(await stored()).toEqual({ namespaces: 3, objects: 3, tokens: 3 });
  await eventually(async () => {
    await bus.trim(0);
    expect(await stored()).toEqual({ namespaces: 3 });
  });
  reading = true;
  await eventually(async () => {
    await bus.trim(0);
    expect(await stored()).toEqual({});
  });
});
