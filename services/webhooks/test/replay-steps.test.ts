import type { Filter } from "mongodb";
import type { Context } from "../src/context.js";
import { recordDeferred } from "../src/events/record-deferred.js";
import { maxDeliveriesOfUser, recordDeliveries } from "../src/events/record-deliveries.js";
import { replayMissed as replayFor } from "../src/events/replay-missed.js";
import { type DeliveryDoc, dueAfterFirst } from "../src/store/delivery-doc.js";
import { maxReplayed } from "../src/store/stream-heads.js";
import type { WebhookDoc } from "../src/store/webhook-doc.js";
import { bootRecording, events, idsOf, webhooksOf } from "./_recording.js";

const ci = bootRecording();
const [ann, bob] = [1, 2];
const start = new Date(0);

type Change = Partial<Pick<WebhookDoc, "events" | "active">>;

/** Stores webhooks of a user's namespace that request what they have missed. */
async function requesting(userId: number, count = 1, firstId = userId, change: Change = {}): Promise<WebhookDoc[]> {
  const webhooks = webhooksOf(count, userId, firstId).map((webhook) => ({
    ...webhook,
    ...change,
    replay: { since: start, activeSince: webhook.activeSince, after: 0, asked: 1 },
  }));
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
/** Makes steps until no replay can go on, however slow the machine is. */
const replayMissed = (ctx: Context) => replayFor(ctx, Number.POSITIVE_INFINITY);
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
  const first = ci.webhooks().find(waiting).sort({ userId: 1, _id: 1 }).limit(1);
  const { executionStats } = await first.explain("executionStats");
  expect(executionStats.totalDocsExamined).toBe(1);
  const { ctx, inserts } = ci.process();
  await replayMissed(ctx);
  const inTurn = [1, last!._id, ...many.slice(1).map(({ _id }) => _id)];
  expect(inserts.flat().map(({ webhookId }) => webhookId)).toEqual(inTurn);
});

test("a request whose steps fail stops no other", async () => {
  const owners = [1, 2, 3];
  for (const owner of owners) await missed(1, owner);
  for (const owner of owners) await requesting(owner);
  const { ctx } = ci.process(({ deliveries }) => ({
    deliveries: {
      ...deliveries,
      insert: (docs, check) =>
        docs[0]!.webhookId === 2 ? Promise.reject(new Error("refused")) : deliveries.insert(docs, check),
    },
  }));
  await expect(replayMissed(ctx)).rejects.toThrow("refused");
  const counts = await Promise.all(owners.map(async (owner) => (await ci.eventsOf(owner)).length));
  expect(counts).toEqual([1, 0, 1]);
});

test("webhooks that replay a long payload share it", async () => {
  await missed(1, ann, JSON.stringify("x".repeat(10_000)));
  await requesting(ann, 3);
  const { ctx, inserts } = ci.process();
  await replayMissed(ctx);
  const ids = inserts.flat().map(({ sharedRequest }) => sharedRequest?.payloadId);
  expect([ids.length, new Set(ids).size, ids.includes(undefined)]).toEqual([3, 1, false]);
});

test("a pass ends between two steps once its time is over, or another process records events", async () => {
  await missed(2 * maxReplayed, ann);
  const [webhook] = await requesting(ann);
  const { ctx } = ci.process();
  expect(await replayFor(ctx, -1)).toBeUndefined();
  expect(await ci.eventsOf(webhook!._id)).toEqual([]);
  let isHere = true;
  const stream = {
    ...ctx.stream,
    heads: (...range: Parameters<typeof ctx.stream.heads>) => {
      isHere = false;
      return ctx.stream.heads(...range);
    },
  };
  expect(await replayMissed({ ...ctx, stream, deferral: { ...ctx.deferral, isHere: () => isHere } })).toBeUndefined();
  expect(await ci.eventsOf(webhook!._id)).toHaveLength(maxReplayed);
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

  test("while a thousand replayed events of its webhook have not been sent", async () => {
    const [webhook] = await requesting(ann);
    const [id] = await missed(1, ann);
    const waitingDoc = (_: unknown, nth: number) =>
      ({ _id: nth + 1, webhookId: webhook!._id, eventId: `w${nth}`, dueAt: dueAfterFirst }) as DeliveryDoc;
    await ci.deliveries().insertMany(Array.from({ length: 1_000 }, waitingDoc));
    const { ctx, inserts } = ci.process();
    expect(await replayMissed(ctx)).toBeUndefined();
    expect(inserts).toEqual([]);
    await ci.deliveries().deleteOne({ _id: 1 });
    await replayMissed(ctx);
    expect(inserts.flat().map(({ eventId }) => eventId)).toEqual([id]);
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
          if (first) await webhooks.requestReplay(webhook!, start);
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

test("a repeated request does not set a replay back, and is served after it", async () => {
  await missed(2 * maxReplayed, ann);
  const [webhook] = await requesting(ann);
  const positions: number[] = [];
  const { ctx } = ci.process(({ stream, webhooks }) => ({
    stream: {
      ...stream,
      async heads(namespaceId, after, end) {
        positions.push(after);
        if (positions.length === 2) await webhooks.requestReplay(webhook!, start);
        return stream.heads(namespaceId, after, end);
      },
    },
  }));
  await replayMissed(ctx);
  expect(positions).toEqual([0, maxReplayed, 2 * maxReplayed, 0, maxReplayed, 2 * maxReplayed]);
  expect(await requests()).toBe(0);
});

test("a request made while a replay begins is served, too", async () => {
  const ids = await missed(1, ann);
  const [webhook] = await requesting(ann);
  const { ctx } = ci.process(({ webhooks }) => ({
    async hasRead(reader) {
      if (reader === "webhooks" && ids.length === 1) {
        ids.push(...(await missed(1, ann, "{}", 1)));
        await webhooks.requestReplay(webhook!, start);
      }
      return true;
    },
  }));
  await replayMissed(ctx);
  expect(await ci.eventsOf(webhook!._id)).toEqual(ids);
});

test("a webhook that was turned off and on again meanwhile has to be replayed anew", async () => {
  await missed(1, ann);
  const [webhook] = await requesting(ann);
  const activeSince = new Date(webhook!.activeSince.getTime() + 1);
  await ci.webhooks().updateOne({ _id: webhook!._id }, { $set: { activeSince } });
  const { ctx } = ci.process();
  await replayMissed(ctx);
  expect([await ci.eventsOf(webhook!._id), await requests()]).toEqual([[], 0]);
  await ctx.webhooks.requestReplay({ ...webhook!, activeSince }, start);
  await replayMissed(ctx);
  expect(await ci.eventsOf(webhook!._id)).toHaveLength(1);
});
