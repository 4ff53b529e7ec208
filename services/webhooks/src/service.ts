import { followDeletions } from "@ci/access/follow-deletions";
import { cachingGrants } from "@ci/access/grants";
import type { Bus } from "@ci/kit/bus/bus";
import { readers } from "@ci/kit/bus/rights";
import { deletionsIn, tendDeletions } from "@ci/kit/mongo/deletions";
import { nextId } from "@ci/kit/mongo/ids";
import { leaseOf } from "@ci/kit/mongo/lease";
import { guardedAgent } from "@ci/kit/net/guarded-agent";
import { type Host, host, type Service } from "@ci/kit/process/host";
import { detached } from "@ci/kit/rpc/caller";
import { inTurn } from "@ci/kit/turns/in-turn";
import { BuildServiceDefinition } from "@ci/proto/builds/v1/builds";
import { AccountServiceDefinition } from "@ci/proto/namespaces/v1/accounts";
import { WebhookServiceDefinition } from "@ci/proto/webhooks/v1/webhooks";
import { hasRecord } from "@ci/rest/event";
import type { Db } from "mongodb";
import { applyDeletion } from "./actions/apply-deletion.js";
import type { Config } from "./config.js";
import type { Context } from "./context.js";
import { batchedWrites } from "./delivery/batched-writes.js";
import { heartbeatEveryMs, startHeartbeat } from "./delivery/heartbeat.js";
import { idleLanes } from "./delivery/idle-lanes.js";
import { laneScheduler, type Turn } from "./delivery/lane-scheduler.js";
import { payloadTurns } from "./delivery/payload-turns.js";
import { poster } from "./delivery/post.js";
import { recentDeliveries } from "./delivery/recent-deliveries.js";
import { renderOnce } from "./delivery/render-once.js";
import { renderPayloads } from "./delivery/render-payloads.js";
import { cachingResolve } from "./delivery/resolve-cache.js";
import { runLane } from "./delivery/run-lane.js";
import { seenWebhooks } from "./delivery/seen-webhooks.js";
import { sharedPayloads } from "./delivery/shared-payloads.js";
import { shortestPauseMs } from "./domain/backoff.js";
import { atMostOnceASecond } from "./events/at-most-once.js";
import { deferral } from "./events/deferral.js";
import { followedUsers } from "./events/followed.js";
import { learnDeletions } from "./events/learn-deletions.js";
import { announcing, sharedLease } from "./events/leases.js";
import { orderedIds } from "./events/ordered-ids.js";
import { recordDeferred } from "./events/record-deferred.js";
import { recordDeliveries } from "./events/record-deliveries.js";
import { recordDeparture } from "./events/record-departure.js";
import { recordStream } from "./events/record-stream.js";
import { replayMissed } from "./events/replay-missed.js";
import { admitFollowers } from "./loops/admit-followers.js";
import { findDeparted } from "./loops/find-departed.js";
import { keepHeartbeat } from "./loops/keep-heartbeat.js";
import { pruneDeliveries } from "./loops/prune-deliveries.js";
import { prunePayloads } from "./loops/prune-payloads.js";
import { pruneSecrets } from "./loops/prune-secrets.js";
import { pruneStream } from "./loops/prune-stream.js";
import { redeliverFailed } from "./loops/redeliver-failed.js";
import { releaseIdleLanes } from "./loops/release-idle-lanes.js";
import { removeDeliveries } from "./loops/remove-deliveries.js";
import { wakeDue } from "./loops/wake-due.js";
import { gaugeSource, registerGauges } from "./metrics.js";
import { handlers } from "./rpc/index.js";
import { type DeferredEvent, deferredEventStore } from "./store/deferred-events.js";
import { deliveryStore } from "./store/deliveries.js";
import type { DeliveryDoc } from "./store/delivery-doc.js";
import { type Follower, followerStore } from "./store/followers.js";
import { makeDeferredIndexes, makeFollowerIndexes, makeIndexes, makeStreamIndexes } from "./store/indexes.js";
import { type PayloadDoc, payloadStore } from "./store/payloads.js";
import { type RemovedWebhook, removedWebhookStore } from "./store/removed-webhooks.js";
import { type Sender, senderStore } from "./store/senders.js";
import { type StreamDoc, streamStore } from "./store/stream.js";
import type { WebhookDoc } from "./store/webhook-doc.js";
import { webhookStore } from "./store/webhooks.js";
import { longPayloads } from "./streams/long-payloads.js";
import { streamKeys, streamWakeups } from "./streams/wakeups.js";

const laneTopic = "webhooks.lane";
const testTopic = "webhooks.test";
const replayTopic = "webhooks.replay";
const hourMs = 60 * 60 * 1_000;
/** The longest rest of loops that look for what another process has begun or left behind. */
const restMs = 16_000;

/** Starts the service. Tests pass `overrides`, such as a clock. */
export const start = (config: Config, overrides: Partial<Context> = {}): Promise<Service> =>
  host("webhooks", config, async (from) => {
    const { bus, own } = from;
    const leases = sharedLease(leaseOf(from.db, "events"), leaseOf(from.db, "stream"));
    const wakeups = {
      wakeDeferred: () => loops.deferred.wake(),
      wakeRedelivery: () => loops.redelivery.wake(),
      wakeRemoval: () => loops.removal.wake(),
      stirLanes: () => loops.stirLanes(),
    };
    const ctx = await createContext(config, from, leases, { ...wakeups, ...overrides });
    own(registerGauges(gaugeSource(ctx)));
    const loops = startLoops(ctx, from);
    followDeletions(from, ctx.accounts, learnDeletions(ctx, bus));
    bus.onConnected(loops.departed.wake);
    bus.onNudge(laneTopic, (text) => {
      const [_id, userId] = text.split(" ").map(Number) as [number, number];
      ctx.lanes.wake({ _id, userId }, "look");
    });
    bus.onNudge(testTopic, atMostOnceASecond(ctx.deliveryIds.skip));
    bus.onNudge(replayTopic, loops.replay.wake);
    await consumeEvents(ctx, from.bus, leases);
    return (server) => void server.add(WebhookServiceDefinition, handlers(ctx));
  });

async function consumeEvents(ctx: Context, bus: Bus, leases: ReturnType<typeof sharedLease>): Promise<void> {
  const deliveries = { lease: announcing(leases.deliveries, ctx.wakeDeferred), isComplete: hasRecord };
  await bus.subscribeMany("webhooks", readers.webhooks.kinds, deliveries, (events) => recordDeliveries(ctx, events));
  await bus.subscribe("departures", readers.departures.kinds, (event) => recordDeparture(ctx, event));
  const stream = { lease: leases.stream, gatherMs: 25, isComplete: hasRecord };
  await bus.subscribeMany("event-stream", readers["event-stream"].kinds, stream, (events) => recordStream(ctx, events));
}

function startLoops(ctx: Context, { loop }: Host) {
  tendDeletions({ loop }, ctx.deletions);
  const beating = loop("heartbeat", heartbeatEveryMs, () => keepHeartbeat(ctx), hourMs);
  const releasing = loop("release-idle-lanes", 1_000, () => releaseIdleLanes(ctx), hourMs);
  // A retry that is scheduled during a rest is not due before it ends.
  const dueRestMs = Math.min(4_000, shortestPauseMs(ctx.config.pausesMs));
  loop("deliver", 500, () => wakeDue(ctx, dueRestMs), Math.max(500, dueRestMs));
  loop("prune-deliveries", hourMs, () => pruneDeliveries(ctx));
  loop("prune-payloads", hourMs, () => prunePayloads(ctx));
  loop("prune-secrets", hourMs, () => pruneSecrets(ctx));
  loop("prune-stream", hourMs, () => pruneStream(ctx));
  const admission = loop("admit-followers", 1_000, () => admitFollowers(ctx), restMs);
  ctx.streamWakeups.on(streamKeys.newFollower, admission.wake);
  return {
    deferred: loop("record-deferred", 1_000, () => recordDeferred(ctx), hourMs),
    removal: loop("remove-deliveries", 1_000, () => removeDeliveries(ctx), hourMs),
    departed: loop("find-departed", 180_000, () => findDeparted(ctx), hourMs),
    redelivery: loop("redeliver-failed", 1_000, () => redeliverFailed(ctx), restMs),
    replay: loop("replay-missed", 1_000, () => replayMissed(ctx), restMs),
    stirLanes() {
      beating.stir();
      releasing.stir();
    },
  };
}

async function runTurn(ctx: Context, turn: Turn): Promise<number | undefined> {
  ctx.stirLanes();
  try {
    return await runLane(ctx, turn);
  } finally {
    ctx.stirLanes();
  }
}

async function openStores(config: Config, db: Db) {
  const webhooks = db.collection<WebhookDoc>("webhooks");
  const deliveries = db.collection<DeliveryDoc>("deliveries");
  const senders = db.collection<Sender>("senders");
  await makeIndexes(webhooks, deliveries, senders);
  const stream = db.collection<StreamDoc>("stream");
  await makeStreamIndexes(stream);
  const followers = db.collection<Follower>("followers");
  await makeFollowerIndexes(followers);
  const deferred = db.collection<DeferredEvent>("deferredEvents");
  await makeDeferredIndexes(deferred);
  return {
    webhooks: webhookStore(db, webhooks, config.webhooksPerUser),
    deliveries: deliveryStore(deliveries),
    deferredEvents: deferredEventStore(deferred),
    removedWebhooks: removedWebhookStore(db.collection<RemovedWebhook>("removedWebhooks")),
    payloads: payloadStore(db.collection<PayloadDoc>("payloads")),
    followers: followerStore(followers),
    stream: streamStore(stream),
    senders: senderStore(senders),
  };
}

type Overrides = Partial<Context> & Pick<Context, "wakeDeferred" | "wakeRedelivery" | "wakeRemoval" | "stirLanes">;

async function createContext(
  config: Config,
  { db, bus, log, now, own, connect }: Host,
  leases: ReturnType<typeof sharedLease>,
  overrides: Overrides,
): Promise<Context> {
  const { senders, ...opened } = await openStores(config, db);
  const accounts = connect(config.namespacesAddr).client(AccountServiceDefinition);
  const builds = connect(config.buildsAddr);
  const agent = guardedAgent(config);
  own({ [Symbol.asyncDispose]: () => agent.close() });
  const deletions = deletionsIn(
    db,
    (parent) => applyDeletion(ctx, parent),
    () => ctx.now(),
  );
  await deletions.ensureIndexes();
  // Start this last, because a lapsed heartbeat needs the context.
  const heartbeat = own(
    await startHeartbeat(senders, config.aliveMs, () => {
      ctx.lanes.interrupt();
      ctx.idleLanes.removeIdle(0);
    }),
  );
  const releaseLanes = () => releaseIdleLanes(ctx, 0);
  own({
    [Symbol.asyncDispose]: async () =>
      void (await releaseLanes().catch((error) => log.warn({ err: error }, "lanes kept until others take them over"))),
  });
  const stores = { ...opened, heartbeat };
  const turns = inTurn<"deliveries">();
  const storeInTurn: Context["inTurn"] = (task) => turns("deliveries", task);
  const ctx: Context = {
    config,
    log,
    deletions,
    ...stores,
    writes: batchedWrites({ ...stores, log }),
    recent: recentDeliveries(),
    sharedPayloads: sharedPayloads(stores.payloads),
    longPayloads: longPayloads(stores.stream),
    seen: seenWebhooks(),
    idleLanes: idleLanes(),
    inTurn: storeInTurn,
    deferral: deferral(leases.deliveries, {
      events: stores.deferredEvents,
      ids: orderedIds(leases.deliveries, (count) => nextId(db, "deferredEvents", count)),
      inTurn: storeInTurn,
      wake: overrides.wakeDeferred,
    }),
    streamWakeups: streamWakeups(bus),
    followed: followedUsers(stores.followers, leases.stream),
    accounts: cachingResolve(cachingGrants(accounts, bus), bus),
    uncachedAccounts: accounts,
    builds: builds.client(BuildServiceDefinition),
    renderPayloads: renderOnce((events) => renderPayloads(ctx, events)),
    post: poster(agent, config),
    payloadTurns: payloadTurns(),
    lanes: own(laneScheduler(config.concurrency, log, (turn) => detached(() => runTurn(ctx, turn)))),
    newWebhookId: () => nextId(db, "webhooks"),
    deliveryIds: orderedIds(leases.deliveries, (count) => nextId(db, "deliveries", count)),
    async newTestId() {
      const id = await nextId(db, "deliveries");
      bus.nudge(testTopic);
      return id;
    },
    hasRead: bus.readsAll,
    wakeReplay: () => bus.nudge(replayTopic),
    wakeHolder: ({ _id, userId }) => bus.nudge(laneTopic, `${_id} ${userId}`),
    now,
    ...overrides,
  };
  return ctx;
}
