import { openMongo } from "@ci/kit/mongo/mongo";
import { testKeyring } from "@ci/testkit/accounts";
import { suite } from "@ci/testkit/suite";
import type { Collection } from "mongodb";
import type { Context } from "../src/context.js";
import { recentDeliveries } from "../src/delivery/recent-deliveries.js";
import { seenWebhooks } from "../src/delivery/seen-webhooks.js";
import { recordDeliveries } from "../src/events/record-deliveries.js";
import { maxSlice, maxSliceBytes } from "../src/events/slices.js";
import { deliveryStore } from "../src/store/deliveries.js";
import type { DeliveryDoc } from "../src/store/delivery-doc.js";
import { makeIndexes } from "../src/store/indexes.js";
import type { WebhookDoc } from "../src/store/webhook-doc.js";
import { aBuild } from "./_suite.js";

const names = suite();
const at = new Date();
let mongo: Awaited<ReturnType<typeof openMongo>>;
let log: Collection<DeliveryDoc>;
let nextId = 1;

beforeAll(async () => {
  mongo = await openMongo(names.mongoUrl, names.mongoDb);
  log = mongo.db.collection("deliveries");
  await makeIndexes(mongo.db.collection("webhooks"), log, mongo.db.collection("senders"));
});
afterAll(() => mongo[Symbol.asyncDispose]());
beforeEach(() => log.deleteMany({ _id: { $gt: 0 } }));

const events = (count: number, namespaceOf: (nth: number) => number) =>
  Array.from({ length: count }, (_, nth) => ({
    id: `event-${nth}`,
    kind: "build.submitted",
    namespaceId: namespaceOf(nth),
    at,
    body: { $case: "build" as const, value: aBuild(namespaceOf(nth)) },
  }));

const aWebhook = (_id: number, namespaceId: number) =>
  ({
    _id,
    userId: 1,
    namespaceId,
    events: ["build.submitted"],
    secrets: { earlier: [] },
    active: true,
    activeSince: new Date(0),
  }) as unknown as WebhookDoc;

/** Returns what records events in the log, and the sizes of its inserts. The insert with the number `failing` fails. */
function recording(webhooks: readonly WebhookDoc[], payload = "{}", failing = 0) {
  const inserts: (readonly DeliveryDoc[])[] = [];
  const { insert } = deliveryStore(log);
  const ctx = {
    config: { headerPrefix: "X-Service-CI", keyring: testKeyring },
    now: () => at,
    seen: seenWebhooks(),
    recent: recentDeliveries(),
    webhooks: { activeInNamespaces: async () => webhooks },
    deliveries: {
      async insert(docs: readonly DeliveryDoc[]) {
        if (inserts.push(docs) === failing) throw new Error("no database");
        return insert(docs);
      },
    },
    sharedPayloads: { store: async () => [] },
    renderPayloads: async (rendered: readonly unknown[]) => rendered.map(() => payload),
    async newDeliveryIds(count: number) {
      nextId += count;
      return nextId - count;
    },
    lanes: { wake: () => undefined },
  } as unknown as Context;
  return { ctx, inserts };
}

const eventsOf = async (webhookId: number) =>
  (await log.find({ webhookId }).sort({ webhookId: 1, _id: 1 }).toArray()).map(({ eventId }) => eventId);

const many = Array.from({ length: 2 * maxSlice + 1 }, (_, nth) => aWebhook(nth + 1, 7));
const three = events(3, () => 7);
const inOrder = three.map(({ id }) => id);

test("no insert stores more deliveries than the limit, and each webhook has them in the order of the events", async () => {
  const { ctx, inserts } = recording(many);
  await recordDeliveries(ctx, three);
  const sizes = inserts.map(({ length }) => length);
  expect(Math.max(...sizes)).toBe(maxSlice);
  const ids = inserts.flatMap((docs) => docs.map(({ _id }) => _id));
  expect(ids).toEqual(ids.map((_, nth) => ids[0]! + nth));
  expect(ids).toHaveLength(many.length * three.length);
  for (const { _id } of [many[0]!, many[maxSlice]!, many.at(-1)!]) expect(await eventsOf(_id)).toEqual(inOrder);
});

test("no insert stores more bytes than the limit", async () => {
  const webhooks = Array.from({ length: 10 }, (_, nth) => aWebhook(nth + 1, nth + 1));
  const { ctx, inserts } = recording(webhooks, "x".repeat(maxSliceBytes / 3));
  const each = events(10, (nth) => nth + 1);
  await recordDeliveries(ctx, each);
  expect(inserts.map(({ length }) => length)).toEqual([3, 3, 3, 1]);
});

test("a batch of which a part is stored is repeated: each webhook has each event once, in order", async () => {
  const first = recording(many, "{}", 4);
  await expect(recordDeliveries(first.ctx, three)).rejects.toThrow("no database");
  expect(await log.countDocuments({ _id: { $gt: 0 } })).toBe(3 * maxSlice);
  await recordDeliveries(recording(many).ctx, three);
  expect(await log.countDocuments({ _id: { $gt: 0 } })).toBe(many.length * three.length);
  for (const { _id } of [many[0]!, many[maxSlice]!, many.at(-1)!]) expect(await eventsOf(_id)).toEqual(inOrder);
});
