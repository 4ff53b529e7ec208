import { startNats } from "@ci/testkit/stores";
import { suite } from "@ci/testkit/suite";
import { connect, DiscardPolicy, type JetStreamManager, type JsMsg, type NatsConnection } from "nats";
import { connectBus } from "../src/bus/bus.js";
import { eventStream } from "../src/bus/event-stream.js";
import { openNatsLink } from "../src/bus/nats-link.js";
import { natsUsers } from "../src/bus/nats-users.js";
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
const anEvent = (seq: number, bytes = 0): OutboxEvent => {
  const event = outboxEvent({ kind: "build.pinned", at: new Date(seq), buildId: 1, seq, body: undefined });
  return { ...event, json: event.json.padEnd(bytes) };
};
const seqOf = (message: JsMsg): number => message.json<{ seq: number }>().seq;

/** Returns all messages of a stream, in order. */
async function stored(from: NatsConnection, stream: string): Promise<JsMsg[]> {
  const consumer = await from.jetstream().consumers.get(stream);
  const { num_pending: count } = await consumer.info();
  const messages: JsMsg[] = [];
  if (count > 0) for await (const message of await consumer.fetch({ max_messages: count })) messages.push(message);
  return messages;
}

const batchesOf = (messages: readonly JsMsg[]) => new Set(messages.map(({ headers }) => headers?.get("Nats-Batch-Id")));

test("a burst of events is stored in order and in batches, and its repetition adds nothing", async () => {
  await using bus = await connectBus(natsUrl, subjectPrefix, "test", log);
  const events = upTo(450).map((seq) => anEvent(seq));
  await Promise.all(events.map(bus.publish));
  const messages = await stored(nats, name);
  expect(messages.map(seqOf)).toEqual(upTo(450));
  expect(batchesOf(messages).size).toBeLessThanOrEqual(5);
  expect([...batchesOf(messages)]).not.toContain("");
  await Promise.all([...events, anEvent(451)].map(bus.publish));
  expect((await stored(nats, name)).map(seqOf)).toEqual(upTo(451));
});

test("an event that is too large fails alone", async () => {
  await using bus = await connectBus(natsUrl, subjectPrefix, "test", log);
  const tooLarge = (nats.info?.max_payload ?? 0) + 1;
  const events = upTo(40).map((seq) => anEvent(seq, seq === 20 ? tooLarge : 0));
  const results = await Promise.allSettled(events.map(bus.publish));
  const failed = results.flatMap((result, nth) => (result.status === "rejected" ? [nth + 1] : []));
  expect(failed).toEqual([20]);
  expect((await stored(nats, name)).map(seqOf)).toEqual(upTo(40).filter((seq) => seq !== 20));
});

test("a stream without room for a whole burst stores what fits, and refuses the rest", async () => {
  await manager.streams.add({
    name,
    subjects: [`${subjectPrefix}.events.>`],
    discard: DiscardPolicy.New,
    max_bytes: 20_000,
  });
  // The bus lets the stream take batches, but a full stream keeps its limit until the update.
  await using bus = await connectBus(natsUrl, subjectPrefix, "test", log);
  await manager.streams.update(name, { max_bytes: 20_000 });
  const results = await Promise.allSettled(upTo(40).map((seq) => bus.publish(anEvent(seq, 1_000))));
  const accepted = results.filter(({ status }) => status === "fulfilled").length;
  expect(accepted).toBeGreaterThan(5);
  expect(accepted).toBeLessThan(20);
  expect(await stored(nats, name)).toHaveLength(accepted);
});

test("a service that may not change the stream publishes alone until the keeper lets it take batches", async () => {
  const password = "secret";
  await using server = await startNats(natsUsers({ prefix: "shop", drivers: ["os"] }, () => password));
  const operator = await connect({ servers: server.address, user: "ci", pass: password });
  const streams = (await operator.jetstreamManager()).streams;
  await streams.add({ name: "SHOP_EVENTS", subjects: ["shop.events.>"] });
  const url = `nats://builds:${password}@${server.address}`;
  await using bus = await connectBus(url, "shop", "builds", log);
  await Promise.all(upTo(40).map((seq) => bus.publish(anEvent(seq))));
  const messages = await stored(operator, "SHOP_EVENTS");
  expect(messages.map(seqOf)).toEqual(upTo(40));
  expect([...batchesOf(messages)]).toEqual([""]);

  await using link = await openNatsLink(url, "builds", log);
  const stream = eventStream(link, "shop", { lookAgainMs: 0 });
  expect((await stream.open()).batches).toBe(false);
  await using _keeper = await connectBus(`nats://namespaces:${password}@${server.address}`, "shop", "namespaces", log);
  expect((await stream.open()).batches).toBe(true);
  await operator.close();
});
