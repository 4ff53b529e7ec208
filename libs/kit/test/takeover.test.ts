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
const kind = "build.pinned";
const connectToBus = () => connectBus(names.natsUrl, names.subjectPrefix, "test", createLog("test", "silent"));
const emit = (bus: Bus, seq: number) =>
  bus.publish(outboxEvent({ kind, at: new Date(0), buildId: 1, seq, body: undefined }));

it("a reader that takes over from a frozen process receives all events in order", async () => {
  await using mongo = await openMongo(names.mongoUrl, names.mongoDb);
  const received: number[] = [];
  const subscribe = (bus: Bus) => {
    const lease = leaseOf(mongo.db, "frozen");
    return bus.subscribeMany("frozen", [kind], { lease }, async (events) => {
      received.push(...events.map(({ seq }) => seq!));
    });
  };
  {
    await using firstBus = await connectToBus();
    await subscribe(firstBus);
  }
  const nats = await connect({ servers: names.natsUrl });
  const consumer = await nats.jetstream().consumers.get(streamName(names.subjectPrefix), "frozen");
  const waiting = async () => (await consumer.info()).num_waiting;
  // This process has asked for a message, and will not notice it.
  const inbox = createInbox();
  let isOver = false;
  nats.subscribe(inbox, {
    callback: () => {
      isOver = true;
    },
  });
  const next = `$JS.API.CONSUMER.MSG.NEXT.${streamName(names.subjectPrefix)}.frozen`;
  await eventually(async () => {
    if ((await waiting()) === 0)
      nats.publish(next, JSON.stringify({ batch: 1, expires: nanos(3_000) }), { reply: inbox });
    expect(await waiting()).toBe(1);
  });
  await using nextBus = await connectToBus();
  await subscribe(nextBus);
  await eventually(async () => expect(isOver || (await waiting()) > 1).toBe(true));
  for (const seq of [1, 2, 3]) await emit(nextBus, seq);
  await eventually(() => expect([...new Set(received)].sort()).toEqual([1, 2, 3]));
  expect([...new Set(received)]).toEqual([1, 2, 3]);
  await nats.close();
});
