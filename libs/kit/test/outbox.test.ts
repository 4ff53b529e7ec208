import type { Event } from "@ci/proto/events/v1/events";
import { eventually } from "@ci/testkit/eventually";
import { suite } from "@ci/testkit/suite";
import { connect } from "nats";
import { type Bus, connectBus } from "../src/bus/bus.js";
import { streamName } from "../src/bus/jetstream.js";
import { type Outbox, outboxEvent } from "../src/mongo/document.js";
import { ensureIndexes, openMongo } from "../src/mongo/mongo.js";
import { outboxIndex, relay } from "../src/mongo/outbox.js";
import { createLog } from "../src/process/log.js";

const names = suite();
const log = createLog("test", "silent");
let mongo: Awaited<ReturnType<typeof openMongo>>;
let bus: Bus;
const docs = () => mongo.db.collection<Outbox & { _id: number }>("docs");
const event = (seq: number) => outboxEvent({ kind: "build.pinned", at: new Date(0), buildId: 1, seq, body: undefined });

beforeAll(async () => {
  mongo = await openMongo(names.mongoUrl, names.mongoDb);
  bus = await connectBus(names.natsUrl, names.subjectPrefix, "test", log);
  await ensureIndexes(docs(), [outboxIndex]);
});
afterAll(async () => {
  await bus[Symbol.asyncDispose]();
  await mongo[Symbol.asyncDispose]();
});

/** Runs a relay while `work` runs. */
async function withRelay<T>(publish: Bus["publish"], work: (nudge: ReturnType<typeof relay>["nudge"]) => Promise<T>) {
  const stop = new AbortController();
  const { nudge, done } = relay([docs() as never], { publish }, { signal: stop.signal, log });
  try {
    return await work(nudge);
  } finally {
    stop.abort();
    await done;
  }
}

it("the relay publishes in order, removes published events and keeps the document", async () => {
  const publishedIds: string[] = [];
  const events = [event(1), event(2), event(3)];
  await docs().insertOne({ _id: 1, outbox: events });
  await withRelay(
    async ({ id }) => void publishedIds.push(id),
    () => eventually(async () => expect((await docs().findOne({ _id: 1 }))!.outbox).toEqual([])),
  );
  expect(publishedIds).toEqual(events.map(({ id }) => id));
});

it("the relay removes a deleted document only after it has published the last event", async () => {
  let disconnected = true;
  await docs().insertOne({ _id: 2, outbox: [event(1)], deletedAt: new Date(0) });
  await withRelay(
    async () => {
      if (disconnected) throw new Error("NATS is away");
    },
    async (nudge) => {
      nudge(docs() as never, 2);
      expect(await docs().countDocuments({ _id: 2 })).toBe(1);
      disconnected = false;
      await eventually(async () => expect(await docs().countDocuments({ _id: 2 })).toBe(0));
    },
  );
});

it("a subscriber receives events in order; failed ones are repeated, malformed ones skipped", async () => {
  const received: (number | undefined)[] = [];
  let failOnce = true;
  await bus.subscribe("test", ["build.pinned"], async ({ seq }: Event) => {
    received.push(seq);
    if (seq === 1 && failOnce) {
      failOnce = false;
      throw new Error("not yet");
    }
  });
  const [first, second] = [event(1), event(2)];
  const malformed = { ...event(9), json: "[" };
  for (const message of [first, first, malformed, second]) await bus.publish(message);
  await eventually(() => expect(received).toContain(2));
  // On a machine that stalls, an event may be delivered once more.
  expect(received).toEqual([...received].sort());
  expect([...new Set(received)]).toEqual([1, 2]);
  expect(received.filter((seq) => seq === 1).length).toBeGreaterThan(1);
  const nats = await connect({ servers: names.natsUrl });
  const { streams } = await nats.jetstreamManager();
  // The repeat was dropped.
  expect((await streams.info(streamName(names.subjectPrefix))).state.messages).toBe(3);
  await nats.close();
});

it("nudge sends a text to the listeners of a topic", async () => {
  const received: string[] = [];
  bus.onNudge("output.*", (text, topic) => received.push(`${topic} ${text}`));
  await eventually(() => {
    bus.nudge("output.7", "x");
    expect(received).toContain("output.7 x");
  });
});

it("NATS does not echo the nudges of a service that has no use for its own", async () => {
  const connected = () => connectBus(names.natsUrl, names.subjectPrefix, "builds", log);
  await using one = await connected();
  await using two = await connected();
  const received = { one: [] as string[], two: [] as string[] };
  one.onNudge("output.*", (_, topic) => received.one.push(topic));
  two.onNudge("output.*", (_, topic) => received.two.push(topic));
  await eventually(() => {
    one.nudge("output.1");
    expect(received.two).toContain("output.1");
  });
  await eventually(() => {
    two.nudge("output.2");
    expect(received.one).toContain("output.2");
  });
  expect(received.one).not.toContain("output.1");
});
