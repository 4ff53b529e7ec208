import { cachingGrants } from "@ci/access/grants";
import { deletionsIn, tendDeletions } from "@ci/kit/mongo/deletions";
import { nextId } from "@ci/kit/mongo/ids";
import { leaseOf } from "@ci/kit/mongo/lease";
import { guardedAgent } from "@ci/kit/net/guarded-agent";
import { host, type Service } from "@ci/kit/process/host";
import { detached } from "@ci/kit/rpc/caller";
import { connect } from "@ci/kit/rpc/rpc";
import { BuildServiceDefinition } from "@ci/proto/builds/v1/builds";
import { AccountServiceDefinition } from "@ci/proto/namespaces/v1/accounts";
import { WebhookServiceDefinition } from "@ci/proto/webhooks/v1/webhooks";
import { hasRecord } from "@ci/rest/event";
import { clear } from "./clear.js";
import type { Config } from "./config.js";
import type { Context } from "./context.js";
import { desk } from "./desk.js";
import { identifiers } from "./domain/identifiers.js";
import { recordEvents } from "./events.js";
import { fresh } from "./fresh.js";
import { holds } from "./holds.js";
import { runLane } from "./lane.js";
import { lanes } from "./lanes.js";
import { deliverDue } from "./loops/deliver.js";
import { letGo } from "./loops/let-go.js";
import { pruneDeliveries } from "./loops/prune.js";
import { pruneStream } from "./loops/prune-stream.js";
import { redeliverFailed } from "./loops/redeliver-failed.js";
import { show } from "./metrics.js";
import { rememberingNames } from "./names.js";
import { poster } from "./post.js";
import { beatEveryMs, presenceIn } from "./presence.js";
import { handlers } from "./rpc/index.js";
import { type DeliveryDoc, deliveryStore } from "./store/deliveries.js";
import { makeIndexes, makeStreamIndexes } from "./store/indexes.js";
import { type Sender, senderStore } from "./store/senders.js";
import { type StreamDoc, streamStore } from "./store/stream.js";
import { type WebhookDoc, webhookStore } from "./store/webhooks.js";
import { recordStream } from "./stream.js";
import { tailOver } from "./tail.js";

const laneTopic = "webhooks.lane";
/** How long events stay on NATS for readers of others, unless there are too many. */
const keepEventsMs = 3 * 24 * 60 * 60 * 1_000;
const trimEveryMs = 10_000;

/** Starts the service. `overrides` is for tests: a clock, for instance. */
export const start = (config: Config, overrides: Partial<Context> = {}): Promise<Service> =>
  host("webhooks", config, async ({ db, bus, log, now, own, loop }) => {
    const webhooks = db.collection<WebhookDoc>("webhooks");
    const deliveries = db.collection<DeliveryDoc>("deliveries");
    const senders = db.collection<Sender>("senders");
    await makeIndexes(webhooks, deliveries, senders);
    const stream = db.collection<StreamDoc>("stream");
    await makeStreamIndexes(stream);
    const namespaces = own(connect(config.namespacesAddr, config.tls));
    const builds = own(connect(config.buildsAddr, config.tls));
    const agent = guardedAgent(config);
    own({ [Symbol.asyncDispose]: () => agent.close() });
    const presence = own(
      await presenceIn(senderStore(senders), () => {
        ctx.lanes.interrupt();
        ctx.holds.idle(0);
      }),
    );
    own({
      [Symbol.asyncDispose]: async () =>
        void (await letGo(ctx, 0).catch((error) => log.warn({ err: error }, "lanes kept until others take them over"))),
    });
    const stores = { webhooks: webhookStore(webhooks), deliveries: deliveryStore(deliveries), presence };
    const ended = deletionsIn(
      db,
      (parent) => clear(ctx, parent),
      () => ctx.now(),
    );
    await ended.ensureIndexes();
    const ctx: Context = {
      config,
      log,
      deletions: ended,
      ...stores,
      desk: desk(stores),
      fresh: fresh(),
      holds: holds(),
      stream: streamStore(stream),
      tail: tailOver(bus),
      accounts: rememberingNames(cachingGrants(namespaces.client(AccountServiceDefinition), bus), bus),
      builds: builds.client(BuildServiceDefinition),
      post: poster(agent, config),
      lanes: own(lanes(config.concurrency, log, (webhookId, turn) => detached(() => runLane(ctx, webhookId, turn)))),
      newWebhookId: () => nextId(db, "webhooks"),
      newDeliveryIds: (count) => nextId(db, "deliveries", count),
      tellOthers: (webhookId) => bus.nudge(laneTopic, String(webhookId)),
      wakeRedelivery: () => redelivery.wake(),
      now,
      ...overrides,
    };
    own(show({ backlog: () => ctx.deliveries.backlog(ctx.now()), disabled: ctx.webhooks.disabled }));
    bus.onNudge(laneTopic, (webhookId) => ctx.lanes.wake(Number(webhookId), "look"));
    const recording = { lease: leaseOf(db, "events"), isComplete: hasRecord };
    await bus.subscribeMany("webhooks", [...identifiers, "users"], recording, (events) => recordEvents(ctx, events));
    const watching = { lease: leaseOf(db, "stream"), gatherMs: 25, isComplete: hasRecord };
    await bus.subscribeMany("event-stream", identifiers, watching, (events) => recordStream(ctx, events));
    tendDeletions({ loop }, ended);
    loop("presence", beatEveryMs, () => presence.beat());
    const redelivery = loop("redeliver-failed", 1_000, () => redeliverFailed(ctx));
    loop("deliver", 500, () => deliverDue(ctx));
    loop("let-go", 100, () => letGo(ctx));
    loop("prune-deliveries", 60 * 60 * 1_000, () => pruneDeliveries(ctx));
    loop("trim-events", trimEveryMs, () => bus.trim(keepEventsMs));
    loop("prune-stream", 60 * 60 * 1_000, () => pruneStream(ctx));
    return (server) => void server.add(WebhookServiceDefinition, handlers(ctx));
  });
