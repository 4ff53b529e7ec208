import { eventually } from "@ci/testkit/eventually";
import { startNats } from "@ci/testkit/stores";
import { suite } from "@ci/testkit/suite";
import { connect, DiscardPolicy, type JetStreamManager, type JsMsg, type NatsConnection } from "nats";
import { connectBus } from "../src/bus/bus.js";
import { eventStream } from "../src/bus/event-stream.js";
import { openNatsLink } from "../src/bus/nats-link.js";
import { natsUsers } from "../src/bus/nats-users.js";
import { publisher } from "../src/bus/publisher.js";
import { type OutboxEvent, outboxEvent } from "../src/mongo/document.js";
import { createLog } from "../src/process/log.js";

const { natsUrl, subjectPrefix } = suite();
const name = `${subjectPrefix.toUpperCase()}_EVENTS`;
const log = createLog("test", "silent");
let nats: NatsConnection;
let manager: JetStreamManager;

beforeAll(async () => {
  nats = await connect({ servers: natsUrl });
  manager = await nats.jetstreamManager();
});
beforeEach(() => manager.streams.delete(name).catch(() => undefined));
afterAll(() => nats.close());

const upTo = (last: number) => Array.from({ length: last }, (_, nth) => nth + 1);
const anEvent = (seq: number, bytes = 0, kind = "build.pinned"): OutboxEvent => {
  const event = outboxEvent({ kind, at: new Date(seq), buildId: 1, seq, body: undefined });
  return { ...event, json: event.json.padEnd(bytes) };
};
const burstOf = (count: number, bytes = 0) => upTo(count).map((seq) => anEvent(seq, bytes));
const seqOf = (message: JsMsg): number => message.json<{ seq: number }>().seq;

/** Returns all messages of a stream, in order. */
async function stored(from: NatsConnection, stream: string): Promise<JsMsg[]> {
  const consumer = await from.jetstream().consumers.get(stream);
  const { num_pending: max_messages } = await consumer.info();
  const messages: JsMsg[] = [];
  if (max_messages > 0) for await (const message of await consumer.fetch({ max_messages })) messages.push(message);
  return messages;
}

const batchesOf = (messages: readonly JsMsg[]) => [
  ...new Set(messages.map(({ headers }) => headers?.get("Nats-Batch-Id"))),
];

/** Opens the stream and returns the `publish` of a bus. */
async function opened(url: string, { prefix = subjectPrefix, service = "test", askAgainMs = 60_000 } = {}) {
  const link = await openNatsLink(url, service, log);
  const stream = eventStream(link, prefix, { askAgainMs });
  const takesBatches = async () => (await stream.open()).batches.now();
  return {
    publish: publisher(stream, prefix, service),
    takesBatches,
    untilBatches: () => eventually(async () => expect(await takesBatches()).toBe(true)),
    [Symbol.asyncDispose]: () => link[Symbol.asyncDispose](),
  };
}

/** Publishes events at once, and returns the numbers of those that failed. */
async function failing(publish: (event: OutboxEvent) => Promise<void>, events: readonly OutboxEvent[]) {
  const results = await Promise.allSettled(events.map(publish));
  return results.flatMap((result, nth) => (result.status === "rejected" ? [nth + 1] : []));
}

test("a burst of events is stored in order and in batches, and its repetition adds nothing", async () => {
  await using bus = await opened(natsUrl);
  await bus.untilBatches();
  const events = burstOf(450);
  expect(await failing(bus.publish, events)).toEqual([]);
  const messages = await stored(nats, name);
  expect(messages.map(seqOf)).toEqual(upTo(450));
  expect(batchesOf(messages)).toHaveLength(3);
  expect(batchesOf(messages)).not.toContain("");
  expect(await failing(bus.publish, [...events, anEvent(451)])).toEqual([]);
  expect((await stored(nats, name)).map(seqOf)).toEqual(upTo(451));
});

test("an event that is too large for NATS fails alone", async () => {
  await using server = await startNats("max_payload: 65536");
  await using bus = await opened(`nats://${server.address}`);
  await bus.untilBatches();
  const events = upTo(40).map((seq) => anEvent(seq, seq === 20 ? 70_000 : 0));
  expect(await failing(bus.publish, events)).toEqual([20]);
});

test.each([1, 20, 40])("event %i of 40, which NATS denies, fails alone", async (denied) => {
  await using server = await startNats(natsUsers({ prefix: "shop", drivers: ["os"] }, () => "secret"));
  await using keeper = await connectBus(`nats://namespaces:secret@${server.address}`, "shop", "namespaces", log);
  await keeper.ensureReaders();
  const url = `nats://builds:secret@${server.address}`;
  await using builds = await opened(url, { prefix: "shop", service: "builds", askAgainMs: 0 });
  await builds.untilBatches();
  const events = upTo(40).map((seq) => anEvent(seq, 0, seq === denied ? "images" : "build.pinned"));
  expect(await failing(builds.publish, events)).toEqual([denied]);
});

test("a stream without room for a whole burst stores what fits, and refuses the rest", async () => {
  await using bus = await opened(natsUrl);
  await bus.untilBatches();
  await manager.streams.update(name, { max_bytes: 20_000, discard: DiscardPolicy.New });
  const failed = await failing(bus.publish, burstOf(40, 1_000));
  expect(failed.length).toBeGreaterThan(20);
  expect(failed.length).toBeLessThan(35);
  expect(await stored(nats, name)).toHaveLength(40 - failed.length);
});

test("a stream that no longer takes batches gets single events", async () => {
  await using bus = await opened(natsUrl);
  await bus.untilBatches();
  await manager.streams.update(name, { allow_atomic: false } as object);
  expect(await failing(bus.publish, burstOf(40))).toEqual([]);
  expect(batchesOf(await stored(nats, name))).toEqual([""]);
  expect(await bus.takesBatches()).toBe(false);
});

test("a service that may not change the stream publishes single events until the keeper lets the stream take batches", async () => {
  await using server = await startNats(natsUsers({ prefix: "shop", drivers: ["os"] }, () => "secret"));
  const operator = await connect({ servers: server.address, user: "ci", pass: "secret" });
  await (await operator.jetstreamManager()).streams.add({ name: "SHOP_EVENTS", subjects: ["shop.events.>"] });
  const url = `nats://builds:secret@${server.address}`;
  await using builds = await opened(url, { prefix: "shop", service: "builds", askAgainMs: 0 });
  expect(await failing(builds.publish, burstOf(40))).toEqual([]);
  expect(batchesOf(await stored(operator, "SHOP_EVENTS"))).toEqual([""]);

  await using _keeper = await connectBus(`nats://namespaces:secret@${server.address}`, "shop", "namespaces", log);
  await builds.untilBatches();
  expect(await failing(builds.publish, burstOf(40))).toEqual([]);
  const batches = batchesOf((await stored(operator, "SHOP_EVENTS")).slice(40));
  expect(batches).toHaveLength(1);
  expect(batches).not.toContain("");
  await operator.close();
});
