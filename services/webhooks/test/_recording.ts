import { deletionsIn } from "@ci/kit/mongo/deletions";
import { nextId } from "@ci/kit/mongo/ids";
import { openMongo } from "@ci/kit/mongo/mongo";
import { createLog } from "@ci/kit/process/log";
import { inTurn } from "@ci/kit/turns/in-turn";
import type { Event } from "@ci/proto/events/v1/events";
import { testKeyring } from "@ci/testkit/accounts";
import { limitOf } from "@ci/testkit/quotas";
import { suite } from "@ci/testkit/suite";
import type { Db } from "mongodb";
import type { Context } from "../src/context.js";
import { recentDeliveries } from "../src/delivery/recent-deliveries.js";
import { seenWebhooks } from "../src/delivery/seen-webhooks.js";
import { sharedPayloads } from "../src/delivery/shared-payloads.js";
import { deferral } from "../src/events/deferral.js";
import { orderedIds } from "../src/events/ordered-ids.js";
import { recordDeferred } from "../src/events/record-deferred.js";
import { type DeferredEvent, deferredEventStore } from "../src/store/deferred-events.js";
import { deliveryStore } from "../src/store/deliveries.js";
import type { DeliveryDoc } from "../src/store/delivery-doc.js";
import { makeDeferredIndexes, makeIndexes, makeStreamIndexes } from "../src/store/indexes.js";
import { type PayloadDoc, payloadStore } from "../src/store/payloads.js";
import { type RemovedWebhook, removedWebhookStore } from "../src/store/removed-webhooks.js";
import { type NewRecord, type StreamDoc, streamStore } from "../src/store/stream.js";
import type { WebhookDoc } from "../src/store/webhook-doc.js";
import { webhookStore } from "../src/store/webhooks.js";
import { aBuild } from "./_suite.js";

const at = new Date();

/** Opens a database for what records events, empty before each test. */
export function bootRecording() {
  const names = suite();
  let mongo: Awaited<ReturnType<typeof openMongo>>;
  const booted = {
    db: undefined as never as Db,
    webhooks: () => booted.db.collection<WebhookDoc>("webhooks"),
    deliveries: () => booted.db.collection<DeliveryDoc>("deliveries"),
    /** Appends records to the stream, as the reader of the stream does. */
    append: (records: readonly NewRecord[]) => streamStore(booted.db.collection<StreamDoc>("stream")).append(records),
    deferred: () => booted.db.collection<DeferredEvent>("deferredEvents"),
    countDeferred: () => booted.deferred().countDocuments({ _id: { $gt: 0 } }),
    /** Returns the events that a webhook has received, oldest first. */
    eventsOf: async (webhookId: number) =>
      (await booted.deliveries().find({ webhookId }).sort({ webhookId: 1, _id: 1 }).toArray()).map(
        (doc) => doc.eventId,
      ),
    process: (changes: (real: Context) => Partial<Context> = () => ({})) => recordingProcess(booted.db, changes),
  };
  beforeAll(async () => {
    mongo = await openMongo(names.mongoUrl, names.mongoDb);
    booted.db = mongo.db;
    await makeIndexes(booted.webhooks(), booted.deliveries(), booted.db.collection("senders"));
    await makeDeferredIndexes(booted.deferred());
    await makeStreamIndexes(booted.db.collection<StreamDoc>("stream"));
  });
  afterAll(() => mongo[Symbol.asyncDispose]());
  beforeEach(async () => {
    for (const name of ["webhooks", "deliveries", "deferredEvents", "stream"])
      await booted.db.collection<{ _id: number }>(name).deleteMany({ _id: { $gt: 0 } });
  });
  return booted;
}

/** A lease that does not end. */
const forever = { term: () => 1 };

/** Returns the parts with which one process records events, and the deliveries that it has inserted. */
function recordingProcess(db: Db, changes: (real: Context) => Partial<Context>) {
  const inserts: (readonly DeliveryDoc[])[] = [];
  const turns = inTurn<"deliveries">();
  const { insert, ...deliveries } = deliveryStore(db.collection("deliveries"));
  const real = {
    config: { headerPrefix: "X-Service-CI", keyring: testKeyring, logMs: 86_400_000 },
    log: createLog("webhooks", "silent"),
    now: () => new Date(),
    seen: seenWebhooks(),
    recent: recentDeliveries(),
    webhooks: webhookStore(db, db.collection<WebhookDoc>("webhooks"), limitOf("Webhooks", "user")),
    deliveries: {
      ...deliveries,
      async insert(docs: readonly DeliveryDoc[], check: () => void) {
        const stored = await insert(docs, check);
        inserts.push(docs);
        return stored;
      },
    },
    deferredEvents: deferredEventStore(db.collection<DeferredEvent>("deferredEvents")),
    deletions: deletionsIn(
      db,
      async () => undefined,
      () => new Date(),
    ),
    removedWebhooks: removedWebhookStore(db.collection<RemovedWebhook>("removedWebhooks")),
    sharedPayloads: sharedPayloads(payloadStore(db.collection<PayloadDoc>("payloads"))),
    renderPayloads: async (events: readonly Event[]) => events.map(() => "{}"),
    deliveryIds: orderedIds(forever, (count) => nextId(db, "deliveries", count)),
    inTurn: (task: () => Promise<never>) => turns("deliveries", task),
    stream: streamStore(db.collection<StreamDoc>("stream")),
    hasRead: async () => true,
    lanes: { wake: () => undefined },
    wakeRemoval: () => undefined,
    wakeDeferred: () => undefined,
  } as unknown as Context;
  const changed: Context = { ...real, ...changes(real) };
  const ctx: Context = {
    ...changed,
    deferral: deferral(forever, {
      events: changed.deferredEvents,
      ids: orderedIds(forever, (count) => nextId(db, "deferredEvents", count)),
      inTurn: changed.inTurn,
      wake: () => undefined,
    }),
  };
  return {
    ctx,
    inserts,
    async recordAllDeferred(): Promise<void> {
      while ((await recordDeferred(ctx)) !== 0);
    },
  };
}

export const events = (count: number, namespaceId: number, from = 0) =>
  Array.from({ length: count }, (_, nth) => ({
    id: `event-${namespaceId}-${from + nth}`,
    kind: "build.submitted",
    namespaceId,
    at,
    body: { $case: "build" as const, value: aBuild(namespaceId, { createdAt: at }) },
  }));

/** Returns webhooks of a namespace with consecutive ids. */
export const webhooksOf = (count: number, namespaceId: number, firstId: number, userId = namespaceId): WebhookDoc[] =>
  Array.from(
    { length: count },
    (_, nth) =>
      ({
        _id: firstId + nth,
        userId,
        namespaceId,
        targetKey: `http://127.0.0.1:9/${nth}`,
        events: ["build.submitted", "namespaces"],
        secrets: { earlier: [] },
        active: true,
        activeSince: new Date(0),
      }) as unknown as WebhookDoc,
  );

export const idsOf = (all: readonly { readonly id: string }[]): string[] => all.map(({ id }) => id);
