import { Action } from "@ci/proto/events/v1/events";
import { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import { gate } from "@ci/testkit/gate";
import type { Context } from "../src/context.js";
import { recordDeferred } from "../src/events/record-deferred.js";
import { maxDeliveriesOfUser, recordDeliveries } from "../src/events/record-deliveries.js";
import { maxSlice } from "../src/events/slices.js";
import { bootRecording, events, idsOf, webhooksOf } from "./_recording.js";

const ci = bootRecording();

const [crowded, innocent] = [1, 2];
const fifty = webhooksOf(50, crowded, 1);
const another = webhooksOf(1, innocent, 1_001);
const perBatch = maxDeliveriesOfUser / fifty.length;

const deletion = (namespaceId: number) => ({
  ...{ id: `deletion-${namespaceId}`, kind: "namespaces", namespaceId, at: new Date() },
  body: {
    $case: "namespace" as const,
    value: { action: Action.deleted, namespace: Namespace.fromPartial({ id: namespaceId, name: "x", path: "x" }) },
  },
});

const received = (ids: readonly { readonly _id: number }[]) => Promise.all(ids.map(({ _id }) => ci.eventsOf(_id)));

test("a user's many deliveries keep no other user's event waiting, and all of them are recorded in order", async () => {
  await ci.webhooks().insertMany([...fifty, ...another]);
  const { ctx, inserts, recordAllDeferred } = ci.process();
  const all = events(100, crowded);
  await recordDeliveries(ctx, [...all.slice(0, 60), ...events(1, innocent)]);
  expect(inserts.flat().filter(({ webhookId }) => webhookId <= fifty.length)).toHaveLength(maxDeliveriesOfUser);
  expect(await ci.eventsOf(another[0]!._id)).toEqual(idsOf(events(1, innocent)));
  expect(await ci.countDeferred()).toBe(60 - perBatch);
  await recordDeferred(ctx);
  await recordDeliveries(ctx, all.slice(60));
  await recordAllDeferred();
  expect(await received(fifty)).toEqual(fifty.map(() => idsOf(all)));
  expect(await ci.countDeferred()).toBe(0);
  expect(Math.max(...inserts.map(({ length }) => length))).toBe(maxSlice);
  await recordDeliveries(ctx, events(1, crowded, 100));
  expect(await ci.countDeferred()).toBe(0);
});

test("users take turns, however many events one of them has", async () => {
  const others = webhooksOf(50, innocent, 1_001);
  await ci.webhooks().insertMany([...fifty, ...others]);
  const { ctx, inserts } = ci.process();
  await recordDeliveries(ctx, [...events(100, crowded), ...events(2 * perBatch, innocent)]);
  inserts.splice(0);
  for (let turn = 0; turn < 4; turn++) await recordDeferred(ctx);
  expect(inserts.map((docs) => docs[0]!.webhookId > fifty.length)).toEqual(
    [false, true, false, true].slice(0, inserts.length),
  );
  expect(await received(others)).toEqual(others.map(() => idsOf(events(2 * perBatch, innocent))));
});

test("an event for more webhooks than fit in a turn is recorded in parts, each of which wakes the loop for the next", async () => {
  const crowd = webhooksOf(2 * maxSlice + 1, crowded, 1);
  await ci.webhooks().insertMany(crowd);
  let wakes = 0;
  const first = ci.process(() => ({ wakeDeferred: () => void wakes++ }));
  await recordDeliveries(first.ctx, events(2, crowded));
  for (let turn = 0; turn < 2; turn++) await recordDeferred(first.ctx);
  expect(first.inserts.map(({ length }) => length)).toEqual([maxSlice, maxSlice]);
  expect(wakes).toBe(2);
  expect(await ci.countDeferred()).toBe(2);
  await first.recordAllDeferred();
  expect(first.inserts.map(({ length }) => length)).toEqual([200, 200, 1, 200, 200, 1]);
  expect(await received(crowd)).toEqual(crowd.map(() => idsOf(events(2, crowded))));
});

describe("a process dies", () => {
  const all = events(20, crowded);
  const deferringAll = async (ctx: Context) => {
    await ci.webhooks().insertMany(fifty);
    await recordDeliveries(ctx, all);
  };
  const expectAll = async () => {
    expect(await received(fifty)).toEqual(fifty.map(() => idsOf(all)));
    expect(await ci.countDeferred()).toBe(0);
  };

  test("after it has recorded deferred events, and the next one records each once", async () => {
    const dying = ci.process(({ deferredEvents }) => ({
      deferredEvents: { ...deferredEvents, remove: () => Promise.reject(new Error("no database")) },
    }));
    await deferringAll(dying.ctx);
    await recordDeferred(dying.ctx);
    expect(await ci.countDeferred()).toBe(all.length - perBatch);
    await ci.process().recordAllDeferred();
    await expectAll();
  });

  test("in the middle of an event, and the next one continues", async () => {
    const crowd = webhooksOf(2 * maxSlice, crowded, 1);
    await ci.webhooks().insertMany(crowd);
    const dying = ci.process();
    await recordDeliveries(dying.ctx, events(2, crowded));
    await recordDeferred(dying.ctx);
    await ci.process().recordAllDeferred();
    expect(await received(crowd)).toEqual(crowd.map(() => idsOf(events(2, crowded))));
  });

  test("before it confirms events that it has deferred, and they are deferred or recorded once", async () => {
    await deferringAll(ci.process().ctx);
    const next = ci.process();
    await recordDeferred(next.ctx);
    await recordDeliveries(next.ctx, all);
    await next.recordAllDeferred();
    await expectAll();
    await recordDeliveries(next.ctx, all.slice(0, perBatch));
    await expectAll();
  });

  test("before it has deferred all, and the repeated batch keeps the order", async () => {
    const dying = ci.process(({ deferredEvents }) => ({
      deferredEvents: {
        ...deferredEvents,
        add: (docs) => deferredEvents.add(docs.slice(0, 3)).then(() => Promise.reject(new Error("no database"))),
      },
    }));
    await expect(deferringAll(dying.ctx)).rejects.toThrow("no database");
    const next = ci.process();
    await recordDeliveries(next.ctx, all);
    await next.recordAllDeferred();
    await expectAll();
  });
});

test("a namespace that is deleted keeps its webhooks until its deferred events and its deletion are recorded", async () => {
  await ci.webhooks().insertMany(fifty);
  const { ctx, recordAllDeferred } = ci.process();
  const all = [...events(20, crowded), deletion(crowded)];
  await recordDeliveries(ctx, all.slice(0, -1));
  await recordDeliveries(ctx, all.slice(-1));
  expect(await ci.countDeferred()).toBe(all.length - perBatch);
  expect(await ctx.deletions.missing([{ kind: "namespace", id: crowded }])).toHaveLength(1);
  await recordAllDeferred();
  expect(await received(fifty)).toEqual(fifty.map(() => idsOf(all)));
  expect(await ctx.deletions.missing([{ kind: "namespace", id: crowded }])).toEqual([]);
  expect(await ci.deliveries().countDocuments({ webhookId: { $gt: 0 }, eventId: { $gt: "" }, farewell: true })).toBe(
    fifty.length,
  );
  expect(await ci.webhooks().countDocuments({ namespaceId: crowded })).toBe(fifty.length);
});

test("an event is deferred although its user's last deferred event is recorded during the reader's look", async () => {
  await ci.webhooks().insertMany([...fifty, ...another]);
  const stall = gate();
  let looks = 0;
  const { ctx, recordAllDeferred } = ci.process(({ webhooks }) => ({
    webhooks: {
      ...webhooks,
      async activeInNamespaces(ids, afterId) {
        if (ids.includes(innocent) && looks++ === 0) await stall.pass();
        return webhooks.activeInNamespaces(ids, afterId);
      },
    },
  }));
  const all = events(7, crowded);
  await recordDeliveries(ctx, all.slice(0, 6));
  const reading = recordDeliveries(ctx, [...all.slice(6), ...events(1, innocent)]);
  await stall.reached;
  await recordAllDeferred();
  stall.open();
  await reading;
  await recordAllDeferred();
  expect(await received([...fifty, ...another])).toEqual([...fifty.map(() => idsOf(all)), idsOf(events(1, innocent))]);
});

test("a user whose deferred events fail holds up no other user", async () => {
  const others = webhooksOf(50, innocent, 1_001);
  await ci.webhooks().insertMany([...fifty, ...others]);
  const { ctx } = ci.process(({ renderPayloads }) => ({
    renderPayloads: async (rendered) => {
      if (rendered.some(({ namespaceId, id }) => namespaceId === crowded && id.endsWith("-5")))
        throw new Error("unreadable");
      return renderPayloads(rendered);
    },
  }));
  const theirs = events(20, innocent);
  await recordDeliveries(ctx, [...events(5, crowded), ...theirs]);
  await recordDeliveries(ctx, events(1, crowded, 5));
  while ((await ci.eventsOf(others[0]!._id)).length < theirs.length) await recordDeferred(ctx);
  expect(await received(others)).toEqual(others.map(() => idsOf(theirs)));
  expect(await ci.deferred().distinct("namespaceId", { namespaceId: { $gt: 0 } })).toEqual([crowded]);
});

test("a deferred event is read again complete", async () => {
  await ci.webhooks().insertMany(webhooksOf(maxDeliveriesOfUser + 1, crowded, 1));
  const seen: unknown[] = [];
  const { ctx, recordAllDeferred } = ci.process(({ renderPayloads }) => ({
    renderPayloads: (rendered) => {
      seen.push(...rendered);
      return renderPayloads(rendered);
    },
  }));
  const trail = { requestId: "request", traceparent: "parent" };
  const [event] = events(1, crowded).map((one) => ({ ...one, trail, actorId: 5, buildId: 6, seq: 7 }));
  await recordDeliveries(ctx, [event!]);
  await recordAllDeferred();
  expect(seen[0]).toEqual(event);
  const [delivery] = await ci.deliveries().find({ webhookId: 1 }).toArray();
  expect(delivery).toMatchObject({ eventId: event!.id, trail });
});
