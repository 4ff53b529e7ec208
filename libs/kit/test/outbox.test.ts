import type { Event } from "@ci/proto/events/v1/events";
import { eventually } from "@ci/testkit/eventually";
import { suite } from "@ci/testkit/suite";
import { type Bus, connectBus } from "../src/bus/bus.js";
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

/** Runs a relay until the work is done. */
async function relaying<T>(publish: Bus["publish"], work: (nudge: ReturnType<typeof relay>["nudge"]) => Promise<T>) {
  const stop = new AbortController();
  const { nudge, done } = relay([docs() as never], { publish }, { signal: stop.signal, log });
  try {
    return await work(nudge);
  } finally {
    stop.abort();
    await done;
  }
}

it("publishes in order, removes what is published, and keeps the document", async () => {
  const sent: string[] = [];
  const events = [event(1), event(2), event(3)];
  await docs().insertOne({ _id: 1, outbox: events });
  await relaying(
    async ({ id }) => void sent.push(id),
    () => eventually(async () => expect((await docs().findOne({ _id: 1 }))!.outbox).toEqual([])),
  );
  expect(sent).toEqual(events.map(({ id }) => id));
});

it("removes a deleted document only after its last event", async () => {
  let broken = true;
  await docs().insertOne({ _id: 2, outbox: [event(1)], deletedAt: new Date(0) });
  await relaying(
    async () => {
      if (broken) throw new Error("the stream is away");
    },
    async (nudge) => {
      nudge(docs() as never, 2);
      expect(await docs().countDocuments({ _id: 2 })).toBe(1);
      broken = false;
      await eventually(async () => expect(await docs().countDocuments({ _id: 2 })).toBe(0));
    },
  );
});

it("hands events to a subscriber in order, repeats failed ones, and skips messages that are no events", async () => {
  const heard: (number | undefined)[] = [];
  let fail = true;
  await bus.subscribe("test", ["build.pinned"], async ({ seq }: Event) => {
    heard.push(seq);
    if (seq === 1 && fail) {
      fail = false;
      throw new Error("not yet");
    }
  });
  const [first, second] = [event(1), event(2)];
  const noEvent = { ...event(9), json: "[" };
  for (const one of [first, first, noEvent, second]) await bus.publish(one);
  await eventually(() => expect(heard).toEqual([1, 1, 2]));
});

it("wakes the listeners of a topic", async () => {
  const heard: string[] = [];
  bus.onNudge("output.*", (text, topic) => heard.push(`${topic} ${text}`));
  await eventually(() => {
    bus.nudge("output.7", "x");
    expect(heard).toContain("output.7 x");
  });
});
