import { Delivery_Status } from "@ci/proto/webhooks/v1/webhooks";
import type { Filter } from "mongodb";
import type { Context } from "../src/context.js";
import { recordDeferred } from "../src/events/record-deferred.js";
import { maxDeliveriesOfUser, recordDeliveries } from "../src/events/record-deliveries.js";
import { replayMissed } from "../src/events/replay-missed.js";
import { type DeliveryDoc, dueAfterFirst, dueImmediately } from "../src/store/delivery-doc.js";
import { maxReplayed } from "../src/store/stream-heads.js";
import type { WebhookDoc } from "../src/store/webhook-doc.js";
import { bootRecording, events, idsOf, webhooksOf } from "./_recording.js";

const ci = bootRecording();
const [ann, bob] = [1, 2];
const start = new Date(0);

type Change = Partial<Pick<WebhookDoc, "events" | "active">>;

/** Stores webhooks of a user's namespace that request what they have missed. */
async function requesting(userId: number, count = 1, firstId = userId, change: Change = {}): Promise<WebhookDoc[]> {
  const replay = { since: start, after: 0 };
  const webhooks = webhooksOf(count, userId, firstId).map((webhook) => ({ ...webhook, ...change, replay }));
  await ci.webhooks().insertMany(webhooks);
  return webhooks;
}

/** Adds events to the stream that no webhook has received. */
async function missed(count: number, namespaceId: number, payload = "{}", from = 0) {
  const all = events(count, namespaceId, from);
  await ci.append(all.map(({ id: eventId, kind, at }) => ({ eventId, namespaceId, kind, payload, at })));
  return idsOf(all);
}

const waiting = { userId: { $gt: 0 }, "replay.since": { $exists: true } } as Filter<WebhookDoc>;
const requests = () => ci.webhooks().countDocuments(waiting);

test("steps store what is missed in order, and nothing that the webhook has", async () => {
  const count = 2 * maxReplayed + 1;
  const ids = await missed(count, ann);
  const [webhook] = await requesting(ann);
  const { ctx, inserts } = ci.process();
  await recordDeliveries(ctx, events(1, ann, 3));
  inserts.splice(0);
  expect(await replayMissed(ctx)).toBe(count - 1);
  expect(await ci.eventsOf(webhook!._id)).toEqual([ids[3], ...ids.filter((_, nth) => nth !== 3)]);
  expect(inserts.map(({ length }) => length)).toEqual([maxReplayed - 1, maxReplayed, 1]);
  expect(inserts.flat()).toEqual(expect.arrayContaining([expect.objectContaining({ dueAt: dueAfterFirst })]));
  expect(await requests()).toBe(0);
});

test("a step stores no more than a MiB of payloads, and the next one goes on after it", async () => {
  const long = JSON.stringify("x".repeat(400_000));
  const ids = await missed(5, ann, long);
  const [webhook] = await requesting(ann);
  const { ctx, inserts } = ci.process();
  await replayMissed(ctx);
  expect(inserts.map(({ length }) => length)).toEqual([2, 2, 1]);
  expect(await ci.eventsOf(webhook!._id)).toEqual(ids);
});

test("owners take turns, however many webhooks one of them has, and each step reads one", async () => {
  await missed(1, ann);
  await missed(1, bob);
  const many = await requesting(ann, 50);
  const [last] = await requesting(bob, 1, 1_000);
  const { executionStats } = await ci
    .webhooks()
    .find(waiting)
    .sort({ userId: 1, _id: 1 })
    .limit(1)
    .explain("executionStats");
  expect(executionStats.totalDocsExamined).toBe(1);
  const { ctx, inserts } = ci.process();
  await replayMissed(ctx);
  expect(inserts.flat().map(({ webhookId }) => webhookId)).toEqual([
    1,
    last!._id,
    ...many.slice(1).map(({ _id }) => _id),
  ]);
});

test("a webhook receives only kinds that it wants now, and nothing once it is inactive", async () => {
  await missed(2, ann);
  const [narrow] = await requesting(ann, 1, 1, { events: ["cron"] });
  const [off] = await requesting(bob, 1, 2, { active: false });
  await missed(2, bob);
  await replayMissed(ci.process().ctx);
  expect([await ci.eventsOf(narrow!._id), await ci.eventsOf(off!._id)]).toEqual([[], []]);
  expect(await requests()).toBe(0);
});

test("what is older than the log of deliveries may have been delivered, so it is left out", async () => {
  const [webhook] = await requesting(ann);
  const [old, recent] = events(2, ann);
  const record = { namespaceId: ann, kind: "build.submitted", payload: "{}" };
  const at = new Date(old!.at.getTime() - 90_000_000);
  await ci.append([
    { ...record, eventId: old!.id, at },
    { ...record, eventId: recent!.id, at: recent!.at },
  ]);
  await replayMissed(ci.process().ctx);
  expect(await ci.eventsOf(webhook!._id)).toEqual([recent!.id]);
});

describe("a replay waits", () => {
  test.each(["webhooks", "event-stream"])("until the reader %s has handled all events", async (behind) => {
    const [webhook] = await requesting(ann);
    const ids = await missed(2, ann);
    const busy = ci.process(() => ({ hasRead: async (reader) => reader !== behind }));
    expect(await replayMissed(busy.ctx)).toBeUndefined();
    expect(busy.inserts).toEqual([]);
    await replayMissed(ci.process().ctx);
    expect(await ci.eventsOf(webhook!._id)).toEqual(ids);
  });

  test("until deferred events of the namespace are recorded, which are first attempts", async () => {
    const [webhook] = await requesting(ann, maxDeliveriesOfUser);
    await ci.webhooks().updateMany({ _id: { $gt: webhook!._id } }, { $unset: { replay: "" } });
    const late = events(2, ann, 10);
    const ids = await missed(1, ann);
    await missed(2, ann, "{}", 10);
    const { ctx, recordAllDeferred } = ci.process();
    await recordDeliveries(ctx, late);
    expect(await ci.countDeferred()).toBeGreaterThan(0);
    expect(await replayMissed(ctx)).toBeUndefined();
    await recordAllDeferred();
    expect(await recordDeferred(ctx)).toBe(0);
    expect(await replayMissed(ctx)).toBe(1);
    expect(await ci.eventsOf(webhook!._id)).toEqual([...idsOf(late), ...ids]);
  });

  test("in a process that does not record events", async () => {
    await requesting(ann);
    const { ctx } = ci.process();
    const elsewhere: Context = { ...ctx, deferral: { ...ctx.deferral, isHere: () => false } };
    expect(await replayMissed(elsewhere)).toBe(0);
    expect(await requests()).toBe(1);
  });
});

describe("a process dies", () => {
  test("before it saves its progress, and the next one adds nothing twice", async () => {
    const ids = await missed(maxReplayed + 50, ann);
    const [webhook] = await requesting(ann);
    const dying = ci.process(({ webhooks }) => ({
      webhooks: {
        ...webhooks,
        saveReplay: (request, progress) =>
          request.replay.end === undefined
            ? webhooks.saveReplay(request, progress)
            : Promise.reject(new Error("no database")),
      },
    }));
    await expect(replayMissed(dying.ctx)).rejects.toThrow("no database");
    expect(await ci.eventsOf(webhook!._id)).toHaveLength(maxReplayed);
    await replayMissed(ci.process().ctx);
    expect(await ci.eventsOf(webhook!._id)).toEqual(ids);
  });

  test("between two deliveries of a step, and the next one continues in order", async () => {
    const ids = await missed(10, ann);
    const [webhook] = await requesting(ann);
    const dying = ci.process(({ deliveries }) => ({
      deliveries: {
        ...deliveries,
        insert: (docs, check) =>
          deliveries.insert(docs.slice(0, 4), check).then(() => Promise.reject(new Error("no database"))),
      },
    }));
    await expect(replayMissed(dying.ctx)).rejects.toThrow("no database");
    await replayMissed(ci.process().ctx);
    expect(await ci.eventsOf(webhook!._id)).toEqual(ids);
  });
});

test("a request made meanwhile begins again, from the earlier of both times", async () => {
  const ids = await missed(2, ann);
  const [webhook] = await requesting(ann);
  const later = { "replay.since": new Date(Date.now() + 3_600_000) };
  await ci.webhooks().updateOne({ _id: webhook!._id }, { $set: later });
  const { ctx } = ci.process(({ stream, webhooks }) => {
    let first = true;
    return {
      stream: {
        ...stream,
        async heads(...range) {
          if (first) await webhooks.requestReplay(webhook!._id, start);
          first = false;
          return stream.heads(...range);
        },
      },
    };
  });
  expect(await replayMissed(ctx)).toBe(ids.length);
  expect(await ci.eventsOf(webhook!._id)).toEqual(ids);
  expect(await requests()).toBe(0);
});

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
  expect(await due()).toEqual([[...Array(14).fill(1), ...Array(6).fill(now.getTime())], [6, 14, 0], "nothing"]);
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
