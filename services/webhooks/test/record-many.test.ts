import { recordDeliveries } from "../src/events/record-deliveries.js";
import { maxSlice, maxSliceBytes } from "../src/events/slices.js";
import { bootRecording, events, idsOf, webhooksOf } from "./_recording.js";

const ci = bootRecording();

const nths = Array.from({ length: 5 }, (_, nth) => nth + 1);
/** Five users with a hundred webhooks each. */
const many = nths.flatMap((user) => webhooksOf(100, user, 100 * user));
const two = nths.flatMap((user) => events(2, user));
const total = 2 * many.length;
const stored = () => ci.deliveries().countDocuments({ _id: { $gt: 0 } });

async function expectEachInOrder(): Promise<void> {
  expect(await stored()).toBe(total);
  for (const { _id, namespaceId } of [many[0]!, many[250]!, many.at(-1)!])
    expect(await ci.eventsOf(_id)).toEqual(idsOf(events(2, namespaceId)));
}

test("no insert stores more deliveries than the limit, and each webhook has them in the order of the events", async () => {
  await ci.webhooks().insertMany(many);
  const { ctx, inserts } = ci.process();
  await recordDeliveries(ctx, two);
  expect(inserts.map(({ length }) => length)).toEqual(nths.map(() => maxSlice));
  const ids = inserts.flatMap((docs) => docs.map(({ _id }) => _id));
  expect(ids).toEqual(ids.map((_, nth) => ids[0]! + nth));
  await expectEachInOrder();
});

test("no insert stores more bytes than the limit", async () => {
  await ci.webhooks().insertMany(webhooksOf(1, 1, 1));
  const { ctx, inserts } = ci.process(() => ({
    renderPayloads: async (rendered) => rendered.map(() => "x".repeat(maxSliceBytes / 3)),
  }));
  await recordDeliveries(ctx, events(10, 1));
  expect(inserts.map(({ length }) => length)).toEqual([3, 3, 3, 1]);
});

test("a batch of which a part is stored is repeated: each webhook has each event once, in order", async () => {
  await ci.webhooks().insertMany(many);
  let left = 3;
  const failing = ci.process(({ deliveries }) => ({
    deliveries: {
      ...deliveries,
      async insert(docs, check) {
        if (left-- === 0) throw new Error("no database");
        return deliveries.insert(docs, check);
      },
    },
  }));
  await expect(recordDeliveries(failing.ctx, two)).rejects.toThrow("no database");
  expect(await stored()).toBe(3 * maxSlice);
  await recordDeliveries(ci.process().ctx, two);
  await expectEachInOrder();
});

test("a process whose term has ended stores nothing beside what another process has stored", async () => {
  await ci.webhooks().insertMany(webhooksOf(1, 1, 1));
  await recordDeliveries(ci.process().ctx, two.slice(0, 1));
  let checks = 0;
  const frozen = ci.process(({ deliveryIds }) => ({
    deliveryIds: {
      ...deliveryIds,
      check() {
        if (++checks === 2) throw new Error("the term has ended");
      },
    },
  }));
  await expect(recordDeliveries(frozen.ctx, two)).rejects.toThrow("the term has ended");
  expect(await stored()).toBe(1);
});
