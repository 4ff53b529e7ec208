import { Delivery_Status } from "@ci/proto/webhooks/v1/webhooks";
import { type DeliveryDoc, dueAfterFirst, dueImmediately } from "../src/store/delivery-doc.js";
import { bootRecording } from "./_recording.js";

const ci = bootRecording();

test("due are first attempts, then some retries, then replays: none of them starves another", async () => {
  const { ctx } = ci.process();
  const now = new Date();
  const docOf = (dueAt: Date) => (_: unknown, nth: number) => ({
    dueAt,
    webhookId: 1,
    status: Delivery_Status.pending,
    nth,
  });
  const kinds: [Date, number][] = [
    [now, 6],
    [dueAfterFirst, 70],
    [dueImmediately, 70],
  ];
  const docs = kinds.flatMap(([dueAt, count]) => Array.from({ length: count }, docOf(dueAt)));
  await ci.deliveries().insertMany(
    docs.map((doc, nth) => ({
      ...doc,
      _id: nth + 1,
      eventId: `${nth}`,
      attempts: [],
      redelivery: false,
    })) as never as DeliveryDoc[],
  );
  const due = async () => {
    const { docs: found, left } = await ctx.deliveries.due(1, now);
    const of = (at: Date) => found.filter(({ dueAt }) => dueAt!.getTime() === at.getTime()).length;
    return [found.map(({ dueAt }) => dueAt!.getTime()), kinds.map(([at]) => of(at)), left];
  };
  const times = (first: number, retries: number, replays: number) => [
    ...Array(first).fill(0),
    ...Array(retries).fill(now.getTime()),
    ...Array(replays).fill(1),
  ];
  expect(await due()).toEqual([times(64, 4, 4), [4, 4, 64], "any"]);
  await ci.deliveries().deleteMany({ _id: { $gt: 78 } });
  expect(await due()).toEqual([times(2, 4, 62), [4, 62, 2], "any"]);
  await ci.deliveries().deleteMany({ _id: { $gt: 20 } });
  expect(await due()).toEqual([times(0, 6, 14), [6, 14, 0], "nothing"]);
});

test("however many replayed events wait, they count as waiting, not as late, and hide no late delivery", async () => {
  const now = new Date();
  const { ctx } = ci.process();
  const docOf = (_id: number, dueAt: Date) => ({ _id, webhookId: _id, eventId: `${_id}`, dueAt }) as DeliveryDoc;
  await ci.deliveries().insertMany([docOf(1, dueAfterFirst), docOf(2, dueAfterFirst)]);
  expect(await ctx.deliveries.backlog(now, [])).toEqual({ waiting: 2, lagMs: 0 });
  await ci.deliveries().insertOne(docOf(3, new Date(now.getTime() - 5_000)));
  expect(await ctx.deliveries.backlog(now, [])).toEqual({ waiting: 3, lagMs: 5_000 });
});

test("deliveries that are redelivered together go after first attempts, retries and tests, and are not late", async () => {
  const { ctx } = ci.process();
  const at = new Date();
  const later = new Date(at.getTime() + 3_600_000);
  const docOf = (_id: number, fields: Partial<DeliveryDoc>) =>
    ({ _id, webhookId: 1, eventId: `${_id}`, createdAt: at, attemptCount: 1, asked: 0, ...fields }) as DeliveryDoc;
  const { failed, pending } = Delivery_Status;
  await ci.deliveries().insertMany([1, 2, 3].map((id) => docOf(id, { status: failed })));
  expect(await ctx.deliveries.redeliverFailed(1, { since: at, id: 0 })).toEqual({ count: 3 });
  expect(await ctx.deliveries.backlog(later, [])).toEqual({ waiting: 3, lagMs: 0 });
  await ci
    .deliveries()
    .insertMany([
      docOf(4, { status: pending, dueAt: dueImmediately }),
      docOf(5, { status: pending, dueAt: at }),
      docOf(6, { status: pending, dueAt: at, test: true }),
    ]);
  const due = async () => (await ctx.deliveries.due(1, later)).docs.map(({ _id }) => _id);
  expect(await due()).toEqual([4, 5, 6, 1, 2, 3]);
  await ctx.deliveries.redeliver(1, 3, later);
  expect(await due()).toEqual([4, 5, 6, 3, 1, 2]);
});
