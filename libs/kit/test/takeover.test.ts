import { eventually } from "@ci/testkit/eventually";
import { suite } from "@ci/testkit/suite";
import { connect, createInbox, nanos } from "nats";
import { type Bus, connectBus } from "../src/bus/bus.js";
import { streamName } from "../src/bus/jetstream.js";
import { outboxEvent } from "../src/mongo/document.js";
import { leaseOf } from "../src/mongo/lease.js";
import { openMongo } from "../src/mongo/mongo.js";
import { createLog } from "../src/process/log.js";

const names = suite();
const connectToBus = () => connectBus(names.natsUrl, names.subjectPrefix, "test", createLog("test", "silent"));
const emit = (bus: Bus, kind: string, seq: number) =>
  bus.publish(outboxEvent({ kind, at: new Date(0), buildId: 1, seq, body: undefined }));

/** A process that asks for a message of a reader, and confirms none. */
async function anotherProcess(reader: string) {
  const nats = await connect({ servers: names.natsUrl });
  const stream = streamName(names.subjectPrefix);
  const consumer = await nats.jetstream().consumers.get(stream, reader);
  return {
    waiting: async () => (await consumer.info()).num_waiting,
    /** `answered` hears whether the answer was a message. */
    ask(answered: (found: boolean) => void) {
      const inbox = createInbox();
      nats.subscribe(inbox, { callback: (_error, { subject }) => answered(subject !== inbox) });
      const request = JSON.stringify({ batch: 1, expires: nanos(3_000) });
      nats.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${reader}`, request, { reply: inbox });
    },
    [Symbol.asyncDispose]: () => nats.close(),
  };
}

it("a reader that takes over from a frozen process receives all events in order", async () => {
  await using mongo = await openMongo(names.mongoUrl, names.mongoDb);
  const received: number[] = [];
  const subscribe = (bus: Bus) => {
    const lease = leaseOf(mongo.db, "frozen");
    return bus.subscribeMany("frozen", ["build.pinned"], { lease }, async (events) => {
      received.push(...events.map(({ seq }) => seq!));
    });
  };
  {
    await using firstBus = await connectToBus();
    await subscribe(firstBus);
  }
  await using frozen = await anotherProcess("frozen");
  let isOver = false;
  await eventually(async () => {
    if ((await frozen.waiting()) === 0)
      frozen.ask(() => {
        isOver = true;
      });
    expect(await frozen.waiting()).toBe(1);
  });
  await using nextBus = await connectToBus();
  await subscribe(nextBus);
  await eventually(async () => expect(isOver || (await frozen.waiting()) > 1).toBe(true));
  for (const seq of [1, 2, 3]) await emit(nextBus, "build.pinned", seq);
  await eventually(() => expect([...new Set(received)].sort()).toEqual([1, 2, 3]));
  expect([...new Set(received)]).toEqual([1, 2, 3]);
});

it("a reader waits for an event that a process without the lease has taken", async () => {
  await using mongo = await openMongo(names.mongoUrl, names.mongoDb);
  const received: number[] = [];
  await using bus = await connectToBus();
  const lease = leaseOf(mongo.db, "woken");
  await bus.subscribeMany("woken", ["build.unpinned"], { lease }, async (events) => {
    received.push(...events.map(({ seq }) => seq!));
  });
  await emit(bus, "build.unpinned", 1);
  await eventually(() => expect(received).toEqual([1]));
  await using woken = await anotherProcess("woken");
  let isTaken = false;
  let count = 1;
  await eventually(async () => {
    woken.ask((found) => {
      isTaken ||= found;
    });
    for (let nth = 0; nth < 5; nth++) await emit(bus, "build.unpinned", ++count);
    expect(isTaken).toBe(true);
  });
  await eventually(() => expect(new Set(received).size).toBe(count));
  expect([...new Set(received)]).toEqual(Array.from({ length: count }, (_, nth) => nth + 1));
});
