import { type Fresh, fresh } from "./fresh.js";
import type { DeliveryDoc } from "./store/deliveries.js";

/** Deliveries with ids from `first` on, for these webhooks. */
const deliveries = (first: number, webhookIds: readonly number[], payload = "{}") =>
  webhookIds.map(
    (webhookId, nth) => ({ _id: first + nth, webhookId, request: { headers: {}, payload } }) as DeliveryDoc,
  );
const store = (kept: Fresh, docs: readonly DeliveryDoc[], all = true) => kept.storing(docs, async () => all);
const idsOf = (docs: readonly DeliveryDoc[] | undefined) => docs?.map(({ _id }) => _id);
/** From where on is taken what comes after a look that finds these. */
const found = async (kept: Fresh, docs: readonly DeliveryDoc[] = []) =>
  (await kept.found(1, async () => ({ docs, all: true }))).from;

test("what was stored is taken once, by webhook and in order", async () => {
  const kept = fresh();
  await store(kept, deliveries(10, [1]));
  const from = await found(kept);
  await store(kept, deliveries(11, [1, 2, 1]));
  await store(kept, deliveries(14, [1]));
  expect(idsOf(kept.take(1, from))).toEqual([11, 13, 14]);
  expect(idsOf(kept.take(1, 15))).toEqual([]);
  expect(idsOf(kept.take(2, from))).toEqual([12]);
});

test("what was found is not taken, whether it was here before the look or came during it", async () => {
  const kept = fresh();
  const [before, during, after] = [deliveries(10, [1]), deliveries(11, [1]), deliveries(12, [1])];
  await store(kept, before);
  const { from } = await kept.found(1, async () => {
    await store(kept, during);
    return { docs: [...before, ...during] };
  });
  await store(kept, after);
  expect(idsOf(kept.take(1, from))).toEqual([12]);
});

test("what was found and sent while it was being stored is not taken, whoever looked in between", async () => {
  const kept = fresh();
  await store(kept, deliveries(10, [1]));
  const docs = deliveries(11, [1, 1]);
  let from = 0;
  await kept.storing(docs, async () => {
    await found(kept, docs.slice(0, 1));
    from = await found(kept);
    return true;
  });
  expect(idsOf(kept.take(1, from))).toEqual([12]);
});

test("where ids are missing, others may have stored something", async () => {
  const kept = fresh();
  await store(kept, deliveries(10, [1]));
  const from = await found(kept);
  await store(kept, deliveries(12, [1]));
  expect(kept.take(1, from)).toBeUndefined();
  expect(idsOf(kept.take(1, 12))).toEqual([12]);
});

test("where something was not stored, or was known already, has to be looked", async () => {
  const kept = fresh();
  await store(kept, deliveries(10, [1]));
  const from = await found(kept);
  await store(kept, deliveries(11, [1, 1]), false);
  expect(kept.take(1, from)).toBeUndefined();
  await store(kept, deliveries(13, [1]));
  const later = await found(kept);
  const failed = kept.storing(deliveries(14, [1]), () => Promise.reject(new Error("no database")));
  await expect(failed).rejects.toThrow("no database");
  await store(kept, deliveries(15, [1]));
  expect([from, later].map((id) => kept.take(1, id))).toEqual([undefined, undefined]);
});

test("of what nobody takes only so much is kept", async () => {
  const kept = fresh();
  const from = await found(kept);
  await store(kept, deliveries(0, [1]));
  for (let id = 1; id < 12; id++) await store(kept, deliveries(id, [2], "x".repeat(1024 ** 2)));
  expect(kept.take(1, from)).toBeUndefined();
  expect(idsOf(kept.take(2, 10))).toEqual([10, 11]);
});
