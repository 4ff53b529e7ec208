import { createServer } from "node:net";
import { eventually } from "@ci/testkit/eventually";
import { type Stores, startStores } from "@ci/testkit/stores";
import { connect } from "nats";
import { type Bus, connectBus } from "../src/bus/bus.js";
import { type Outbox, type OutboxEvent, outboxEvent } from "../src/mongo/document.js";
import { leaseOf } from "../src/mongo/lease.js";
import { ensureIndexes, openMongo } from "../src/mongo/mongo.js";
import { outboxIndex, relay } from "../src/mongo/outbox.js";
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

/** Everything that a bus may hear, in the order in which it came. */
async function hearAll(bus: Bus, name: string) {
  const heard = { one: [] as number[], many: [] as number[], listened: [] as number[], nudged: [] as string[] };
  await bus.subscribe(`${name}-one`, ["build.pinned"], async (event) => void heard.one.push(event.seq!));
  await bus.subscribeMany(`${name}-many`, ["build.pinned"], { lease: leaseOf(mongo.db, name) }, async (events) => {
    for (const event of events) heard.many.push(event.seq!);
  });
  bus.listen("build.pinned", (event) => void heard.listened.push(event.seq!));
  bus.onNudge(name, (text) => void heard.nudged.push(text));
  return heard;
}

/** Publishes what waits in documents, as a service does; tells whether it still waits. */
function relayOf(
  bus: Bus,
): AsyncDisposable & { send(): Promise<OutboxEvent>; waits(event: OutboxEvent): Promise<boolean> } {
  const stop = new AbortController();
  const { nudge, done } = relay([docs() as never], bus, { signal: stop.signal, log });
  return {
    async send() {
      const event = nextEvent();
      await docs().insertOne({ _id: seqOf(event), outbox: [event] });
      nudge(docs() as never, seqOf(event), event);
      return event;
    },
    waits: async (event) => (await docs().findOne({ _id: seqOf(event) }))!.outbox.length > 0,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await done;
    },
  };
}

/** Waits until an event and a nudge that are sent from now on are heard in every way. */
async function expectHeard(bus: Bus, heard: Awaited<ReturnType<typeof hearAll>>, name: string) {
  await using relay = relayOf(bus);
  const event = await relay.send();
  await eventually(async () => expect(await relay.waits(event)).toBe(false));
  const own = seqOf(event);
  await eventually(() => expect([heard.one.includes(own), heard.many.includes(own)]).toEqual([true, true]));
  await eventually(() => expect(heard.listened).toContain(own));
  await eventually(() => {
    bus.nudge(name, String(own));
    expect(heard.nudged).toContain(String(own));
  });
}

const shownConnected = async () => /^ci_nats_connected (.*)$/m.exec(await metrics.metrics())?.[1];

it("starts without NATS, refuses to publish at once, and makes everything when NATS comes", async () => {
  await stores.nats.kill();
  stores.loseEvents();
  await using bus = await connectBus(stores.natsUrl, "late", "test", log);
  const heard = await hearAll(bus, "late");
  expect([bus.connected(), await shownConnected()]).toEqual([false, "0"]);
  const from = performance.now();
  for (let nth = 0; nth < 1_000; nth++) await expect(bus.publish(nextEvent())).rejects.toThrow("NATS is away");
  expect(performance.now() - from).toBeLessThan(5_000);
  await bus.trim(0);
  bus.nudge("late");
  await using relay = relayOf(bus);
  const outboxEvent = [await relay.send(), await relay.send()];
  await stores.nats.start();
  await eventually(async () => expect([bus.connected(), await shownConnected()]).toEqual([true, "1"]));
  // In order, and each at least once.
  const sent = outboxEvent.map(seqOf);
  await eventually(() => expect([heard.one, heard.many].map((all) => [...new Set(all)])).toEqual([sent, sent]));
  await expectHeard(bus, heard, "late");
});

it("goes on with an empty NATS: what has vanished is made again, and what waited goes out", async () => {
  await using bus = await connectBus(stores.natsUrl, "empty", "test", log);
  const heard = await hearAll(bus, "empty");
  await expectHeard(bus, heard, "empty");
  await stores.nats.kill();
  stores.loseEvents();
  await eventually(() => expect(bus.connected()).toBe(false));
  await using relay = relayOf(bus);
  const outboxEvent = await relay.send();
  await stores.nats.start();
  await eventually(() =>
    expect([heard.one.at(-1), heard.many.at(-1)]).toEqual([seqOf(outboxEvent), seqOf(outboxEvent)]),
  );
  expect(await relay.waits(outboxEvent)).toBe(false);
  await expectHeard(bus, heard, "empty");
});

it.each(["stream", "consumers"])("makes a removed %s again while connected", async (what) => {
  const name = `removed-${what}`;
  await using bus = await connectBus(stores.natsUrl, name, "test", log);
  const heard = await hearAll(bus, name);
  await expectHeard(bus, heard, name);
  const nats = await connect({ servers: stores.natsUrl });
  const manager = await nats.jetstreamManager();
  const stream = `${name.toUpperCase().replace("-", "_")}_EVENTS`;
  if (what === "stream") await manager.streams.delete(stream);
  else for (const one of ["one", "many"]) await manager.consumers.delete(stream, `${name}-${one}`);
  await nats.close();
  await expectHeard(bus, heard, name);
});

/** A server that refuses everybody, as one does whose password was changed; resolves when `times` have come. */
async function refuseAll(port: number, times: number): Promise<void> {
  let come = 0;
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.write(
      'INFO {"server_id":"x","version":"2.10.0","headers":true,"max_payload":1024,"auth_required":true}\r\n',
    );
    socket.once("data", () => {
      come++;
      socket.end("-ERR 'Authorization Violation'\r\n");
    });
  }).listen(port, "127.0.0.1");
  await eventually(() => expect(come).toBeGreaterThanOrEqual(times));
  await new Promise((resolve) => server.close(resolve));
}

it("goes on when it was refused for a while, as when a password is changed", async () => {
  await using bus = await connectBus(stores.natsUrl, "refused", "test", log);
  const heard = await hearAll(bus, "refused");
  await expectHeard(bus, heard, "refused");
  await stores.nats.kill();
  // Two refusals in a row were taken for an answer.
  await refuseAll(Number(new URL(stores.natsUrl).port), 4);
  await stores.nats.start();
  await expectHeard(bus, heard, "refused");
});

describe("messages that are no events", () => {
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

  it("are refused and counted, and no reader and no listener minds", async () => {
    const refusals = async () => Number(/^ci_events_refused_total (.*)$/m.exec(await metrics.metrics())?.[1]);
    await using bus = await connectBus(stores.natsUrl, "garbage", "test", log);
    const heard = await hearAll(bus, "garbage");
    bus.listen("build.pinned", () => {
      throw new Error("One who listens has a fault");
    });
    const before = await refusals();
    const nats = await connect({ servers: stores.natsUrl });
    for (const text of garbage) nats.publish("garbage.events.build.pinned", text);
    await nats.drain();
    await expectHeard(bus, heard, "garbage");
    // Two readers and two listeners refuse each of them, a reader perhaps more than once.
    await eventually(async () => expect((await refusals()) - before).toBeGreaterThanOrEqual(4 * garbage.length));
    const events = [heard.one, heard.many, heard.listened].map((all) => new Set(all).size);
    expect(events).toEqual([1, 1, 1]);
  });
});
