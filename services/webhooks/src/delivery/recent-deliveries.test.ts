import { type DeliveryDoc, type DueDeliveries, dueAfterFirst, dueImmediately } from "../store/delivery-doc.js";
import { type RecentDeliveries, recentDeliveries } from "./recent-deliveries.js";

/** Returns deliveries for these webhooks, with ids from `first` on. */
const deliveries = (first: number, webhookIds: readonly number[], payload = "{}") =>
  webhookIds.map(
    (webhookId, index) =>
      ({ _id: first + index, webhookId, dueAt: dueImmediately, request: { headers: {}, payload } }) as DeliveryDoc,
  );
const store = (recent: RecentDeliveries, docs: readonly DeliveryDoc[], allNew = true) =>
  recent.store(docs, async () => allNew);
const idsOf = (due: DueDeliveries | undefined) => due?.docs.map(({ _id }) => _id);
/** Returns the id from which deliveries are taken after a read that returns these. */
const read = async (recent: RecentDeliveries, docs: readonly DeliveryDoc[] = []) =>
  (await recent.readDue(1, async () => ({ docs, left: "nothing" }))).nextId;

test("stored deliveries are taken once, by webhook and in order", async () => {
  const recent = recentDeliveries();
  await store(recent, deliveries(10, [1]));
  const nextId = await read(recent);
  await store(recent, deliveries(11, [1, 2, 1]));
  await store(recent, deliveries(14, [1]));
  expect(idsOf(recent.take(1, nextId))).toEqual([11, 13, 14]);
  expect(idsOf(recent.take(1, 15))).toEqual([]);
  expect(idsOf(recent.take(2, nextId))).toEqual([12]);
});

test("deliveries that a read returned are not taken, whether they were stored before the read or during it", async () => {
  const recent = recentDeliveries();
  const [before, during, after] = [deliveries(10, [1]), deliveries(11, [1]), deliveries(12, [1])];
  await store(recent, before);
  const { nextId } = await recent.readDue(1, async () => {
    await store(recent, during);
    return { docs: [...before, ...during], left: "nothing" };
  });
  await store(recent, after);
  expect(idsOf(recent.take(1, nextId))).toEqual([12]);
});

test("a delivery that was read and sent before its insert was confirmed is not taken, even after another read", async () => {
  const recent = recentDeliveries();
  await store(recent, deliveries(10, [1]));
  const docs = deliveries(11, [1, 1]);
  let nextId = 0;
  await recent.store(docs, async () => {
    await read(recent, docs.slice(0, 1));
    nextId = await read(recent);
    return true;
  });
  expect(idsOf(recent.take(1, nextId))).toEqual([12]);
});

test("replayed events are not taken, and leave no gap: they go after first attempts that the database may have", async () => {
  const recent = recentDeliveries();
  await store(recent, deliveries(10, [1]));
  const nextId = await read(recent);
  await store(
    recent,
    deliveries(11, [1, 1]).map((doc) => ({ ...doc, dueAt: dueAfterFirst })),
  );
  await store(recent, deliveries(13, [1]));
  expect(idsOf(recent.take(1, nextId))).toEqual([13]);
});

test("a gap in the ids means that another process may have stored deliveries", async () => {
  const recent = recentDeliveries();
  await store(recent, deliveries(10, [1]));
  const nextId = await read(recent);
  await store(recent, deliveries(12, [1]));
  expect(recent.take(1, nextId)).toBeUndefined();
  expect(idsOf(recent.take(1, 12))).toEqual([12]);
});

test("the database has to be read after an insert that failed or found known events", async () => {
  const recent = recentDeliveries();
  await store(recent, deliveries(10, [1]));
  const nextId = await read(recent);
  await store(recent, deliveries(11, [1, 1]), false);
  expect(recent.take(1, nextId)).toBeUndefined();
  await store(recent, deliveries(13, [1]));
  const later = await read(recent);
  const failed = recent.store(deliveries(14, [1]), () => Promise.reject(new Error("no database")));
  await expect(failed).rejects.toThrow("no database");
  await store(recent, deliveries(15, [1]));
  expect([nextId, later].map((id) => recent.take(1, id))).toEqual([undefined, undefined]);
});

test("deliveries that nobody takes are dropped when memory runs out", async () => {
  const recent = recentDeliveries();
  const nextId = await read(recent);
  await store(recent, deliveries(0, [1]));
  const mib = (first: number) => deliveries(first, Array(64).fill(2), "x".repeat(16 * 1024));
  for (let id = 1; id < 12 * 64; id += 64) await store(recent, mib(id));
  expect(recent.take(1, nextId)).toBeUndefined();
  expect(idsOf(recent.take(2, 12 * 64 - 1))).toEqual([12 * 64 - 1, 12 * 64]);
});

test("deliveries are taken without their long payloads, and with short ones up to the limit of bytes", async () => {
  const recent = recentDeliveries();
  const nextId = await read(recent);
  await store(recent, deliveries(0, Array(20).fill(2), "é".repeat(1024 ** 2)));
  await store(recent, deliveries(20, Array(20).fill(2), "x".repeat(16 * 1024)));
  const { docs } = recent.take(2, nextId)!;
  expect(docs.map(({ _id }) => _id)).toEqual(Array.from({ length: 27 }, (_, nth) => nth));
  expect(docs[19]).toMatchObject({ request: { headers: {} }, payloadBytes: 2 * 1024 ** 2 });
  expect(docs.map(({ request }) => request?.payload?.length).slice(18)).toEqual([
    ...[undefined, undefined],
    ...Array(7).fill(16 * 1024),
  ]);
});

test("a read that leaves only first attempts is continued from memory", async () => {
  const recent = recentDeliveries();
  const [first, second, third] = deliveries(10, [1, 1, 1]) as [DeliveryDoc, DeliveryDoc, DeliveryDoc];
  const retry = { ...deliveries(15, [1])[0]!, dueAt: new Date() };
  await store(recent, [first, second, third]);
  const { nextId } = await recent.readDue(1, async () => ({ docs: [first, second, retry], left: "first" }));
  expect(idsOf(recent.take(1, nextId))).toEqual([12]);
});

test("a test with a higher id hides no first attempt", async () => {
  const recent = recentDeliveries();
  await store(recent, deliveries(10, [1]));
  const nextId = await read(recent, [{ ...deliveries(1_010, [1])[0]!, dueAt: new Date(), test: true }]);
  await store(recent, deliveries(11, [1]));
  expect(idsOf(recent.take(1, nextId))).toEqual([11]);
});

test("what a lost lane had taken or read must be read from the database", async () => {
  const recent = recentDeliveries();
  const docs = deliveries(10, [1, 1, 1, 1]);
  await store(recent, docs);
  const readFirst = async () =>
    (await recent.readDue(1, async () => ({ docs: docs.slice(0, 1), left: "first" }))).nextId;
  const nextId = await readFirst();
  expect(idsOf(recent.take(1, nextId))).toEqual([11, 12, 13]);
  await store(recent, deliveries(14, [1]));
  expect(recent.take(1, await readFirst())).toBeUndefined();
  expect(idsOf(recent.take(1, 14))).toEqual([14]);
  await read(recent);
  expect(recent.take(1, await readFirst())).toBeUndefined();
});

test("a long backlog is taken in parts", async () => {
  const recent = recentDeliveries();
  const backlog = deliveries(10, Array(100).fill(1));
  await store(recent, backlog);
  const first = recent.take(1, 10)!;
  const rest = recent.take(1, first.docs.at(-1)!._id + 1)!;
  expect([first.left, rest.left]).toEqual(["first", "nothing"]);
  expect([...idsOf(first)!, ...idsOf(rest)!]).toEqual(backlog.map(({ _id }) => _id));
});
