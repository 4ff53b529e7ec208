import { createServer } from "node:net";
import { eventually } from "@ci/testkit/eventually";
import { type Stores, startStores } from "@ci/testkit/stores";
import { connect } from "nats";
import { type Bus, connectBus } from "../src/bus/bus.js";
import { type Outbox, type OutboxEvent, outboxEvent } from "../src/mongo/document.js";
import { leaseOf } from "../src/mongo/lease.js";
import { ensureIndexes, openMongo } from "../src/mongo/mongo.js";
import { newsOf, outboxIndex, relay } from "../src/mongo/outbox.js";
import { createLog } from "../src/process/log.js";
import { metrics } from "../src/process/metrics.js";

const log = createLog("test", "silent");
let stores: Stores;
let mongo: Awaited<ReturnType<typeof openMongo>>;
let seq = 0;
beforeAll(async () => {
  stores = await startStores();
  mongo = await openMongo(stores.mongoUrl, "away");
  await ensureIndexes(docs(), [outboxIndex]);
});
afterEach(async () => {
  await stores.nats.kill();
  await stores.nats.start();
});
afterAll(async () => {
  await mongo[Symbol.asyncDispose]();
  await stores[Symbol.asyncDispose]();
});

const docs = () => mongo.db.collection<Outbox & { _id: number }>("docs");
const nextEvent = (): OutboxEvent =>
  outboxEvent({ kind: "build.pinned", at: new Date(), buildId: 1, seq: ++seq, body: undefined });
const seqOf = ({ json }: OutboxEvent): number => JSON.parse(json).seq;

/** Subscribes in every way and records what arrives. */
async function receiveAll(bus: Bus, name: string) {
  const received = { one: [] as number[], many: [] as number[], listened: [] as number[], nudged: [] as string[] };
  await bus.subscribe(`${name}-one`, ["build.pinned"], async (event) => void received.one.push(event.seq!));
  await bus.subscribeMany(`${name}-many`, ["build.pinned"], { lease: leaseOf(mongo.db, name) }, async (events) => {
    for (const event of events) received.many.push(event.seq!);
  });
  bus.listen("build.pinned", (event) => void received.listened.push(event.seq!));
  bus.onNudge(name, (text) => void received.nudged.push(text));
  return received;
}

/** Publishes events from outboxes, as a service does. */
function relayOf(
  bus: Bus,
): AsyncDisposable & { send(): Promise<OutboxEvent>; waits(event: OutboxEvent): Promise<boolean> } {
  const stop = new AbortController();
  const { nudge, done } = relay([docs() as never], bus, { signal: stop.signal, log });
  return {
    async send() {
      const event = nextEvent();
      await docs().insertOne({ _id: seqOf(event), outbox: [event] });
      nudge(docs() as never, seqOf(event), newsOf([event]));
      return event;
    },
    waits: async (event) => (await docs().findOne({ _id: seqOf(event) }))!.outbox.length > 0,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await done;
    },
  };
}

/** Waits until every kind of subscriber receives a new event and a new nudge. */
async function expectReceived(bus: Bus, received: Awaited<ReturnType<typeof receiveAll>>, name: string) {
  await using relay = relayOf(bus);
  const event = await relay.send();
  await eventually(async () => expect(await relay.waits(event)).toBe(false));
  const number = seqOf(event);
  await eventually(() => expect([received.one.includes(number), received.many.includes(number)]).toEqual([true, true]));
  await eventually(() => expect(received.listened).toContain(number));
  await eventually(() => {
    bus.nudge(name, String(number));
    expect(received.nudged).toContain(String(number));
  });
}

const connectedMetric = async () => /^ci_nats_connected (.*)$/m.exec(await metrics.metrics())?.[1];

it("a bus starts without NATS, rejects events at once, and creates stream and consumers when NATS is up", async () => {
  await stores.nats.kill();
  stores.loseEvents();
  await using bus = await connectBus(stores.natsUrl, "late", "test", log);
  const received = await receiveAll(bus, "late");
  expect([bus.connected(), await connectedMetric()]).toEqual([false, "0"]);
  const rejections: unknown[] = [];
  for (let nth = 0; nth < 1_000; nth++) bus.publish(nextEvent()).catch((error) => rejections.push(error));
  // Before the event loop turns, neither a timer nor an answer can have been waited for.
  await new Promise<void>(process.nextTick);
  expect(rejections).toEqual(Array.from({ length: 1_000 }, () => new Error("NATS is away")));
  await bus.trim(0);
  bus.nudge("late");
  await using relay = relayOf(bus);
  const waitingEvents = [await relay.send(), await relay.send()];
  await stores.nats.start();
  await eventually(async () => expect([bus.connected(), await connectedMetric()]).toEqual([true, "1"]));
  // In order, each at least once.
  const numbers = waitingEvents.map(seqOf);
  await eventually(() =>
    expect([received.one, received.many].map((all) => [...new Set(all)])).toEqual([numbers, numbers]),
  );
  await expectReceived(bus, received, "late");
});

it("a bus recreates the stream of an emptied NATS, and the relay publishes the waiting events", async () => {
  await using bus = await connectBus(stores.natsUrl, "empty", "test", log);
  const received = await receiveAll(bus, "empty");
  await expectReceived(bus, received, "empty");
  await stores.nats.kill();
  stores.loseEvents();
  await eventually(() => expect(bus.connected()).toBe(false));
  await using relay = relayOf(bus);
  const waitingEvent = await relay.send();
  await stores.nats.start();
  await eventually(() =>
    expect([received.one.at(-1), received.many.at(-1)]).toEqual([seqOf(waitingEvent), seqOf(waitingEvent)]),
  );
  // Published events leave their documents a moment later.
  await eventually(async () => expect(await relay.waits(waitingEvent)).toBe(false));
  await expectReceived(bus, received, "empty");
});

it("a bus says when it connects for the first time and when it reconnects", async () => {
  await stores.nats.kill();
  await using bus = await connectBus(stores.natsUrl, "says", "test", log);
  let times = 0;
  bus.onConnected(() => times++);
  await stores.nats.start();
  await eventually(() => expect(times).toBe(1));
  await stores.nats.kill();
  await stores.nats.start();
  await eventually(() => expect(times).toBe(2));
});

it.each(["stream", "consumers"])("a connected bus recreates a removed %s", async (kind) => {
  const name = `removed-${kind}`;
  await using bus = await connectBus(stores.natsUrl, name, "test", log);
  const received = await receiveAll(bus, name);
  await expectReceived(bus, received, name);
  const nats = await connect({ servers: stores.natsUrl });
  const manager = await nats.jetstreamManager();
  const stream = `${name.toUpperCase().replace("-", "_")}_EVENTS`;
  if (kind === "stream") await manager.streams.delete(stream);
  else for (const reader of ["one", "many"]) await manager.consumers.delete(stream, `${name}-${reader}`);
  await nats.close();
  await expectReceived(bus, received, name);
});

/** Rejects connections as a NATS with another password does, until there were `times`. */
async function rejectAll(port: number, times: number): Promise<void> {
  let connections = 0;
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.write(
      'INFO {"server_id":"x","version":"2.10.0","headers":true,"max_payload":1024,"auth_required":true}\r\n',
    );
    socket.once("data", () => {
      connections++;
      socket.end("-ERR 'Authorization Violation'\r\n");
    });
  }).listen(port, "127.0.0.1");
  await eventually(() => expect(connections).toBeGreaterThanOrEqual(times));
  await new Promise((resolve) => server.close(resolve));
}

it("a bus reconnects after a server has rejected its password", async () => {
  await using bus = await connectBus(stores.natsUrl, "refused", "test", log);
  const received = await receiveAll(bus, "refused");
  await expectReceived(bus, received, "refused");
  await stores.nats.kill();
  // The client used to give up after two rejections in a row.
  await rejectAll(Number(new URL(stores.natsUrl).port), 4);
  await stores.nats.start();
  await expectReceived(bus, received, "refused");
});

describe("messages that are not events", () => {
  const garbage = [
    "",
    "{",
    "null",
    "[]",
    "7",
    "\0\xff",
    JSON.stringify({ id: "x" }),
    JSON.stringify({ id: "x", kind: "users" }),
    JSON.stringify({ id: "x", kind: "build.pinned", at: "yesterday" }),
    JSON.stringify({ id: "x", kind: "build.pinned", buildId: "seven" }),
    JSON.stringify({ id: "x", kind: "build.pinned", build: { id: {}, stages: 7 } }),
  ];

  it("are dropped and counted; readers and listeners continue", async () => {
    const refusals = async () => Number(/^ci_events_refused_total (.*)$/m.exec(await metrics.metrics())?.[1]);
    await using bus = await connectBus(stores.natsUrl, "garbage", "test", log);
    const received = await receiveAll(bus, "garbage");
    bus.listen("build.pinned", () => {
      throw new Error("This listener always fails");
    });
    const before = await refusals();
    const nats = await connect({ servers: stores.natsUrl });
    for (const text of garbage) nats.publish("garbage.events.build.pinned", text);
    await nats.drain();
    await expectReceived(bus, received, "garbage");
    // Two readers and two listeners drop each of them, a reader perhaps more than once.
    await eventually(async () => expect((await refusals()) - before).toBeGreaterThanOrEqual(4 * garbage.length));
    const events = [received.one, received.many, received.listened].map((all) => new Set(all).size);
    expect(events).toEqual([1, 1, 1]);
  });
});
