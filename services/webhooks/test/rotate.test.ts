import { openMongo } from "@ci/kit/mongo/mongo";
import { rotateSecrets } from "@ci/kit/security/rotate";
import { WebhookServiceDefinition } from "@ci/proto/webhooks/v1/webhooks";
import { eventually } from "@ci/testkit/eventually";
import { connect } from "@ci/testkit/identities";
import { keysNamedIn, rotation } from "@ci/testkit/keys";
import { limitOf } from "@ci/testkit/quotas";
import { receiver } from "@ci/testkit/receiver";
import { start } from "../src/service.js";
import { encryptedFields } from "../src/store/encrypted-secrets.js";
import type { WebhookDoc } from "../src/store/webhook-doc.js";
import { webhookStore } from "../src/store/webhooks.js";
import { verifies } from "./_signatures.js";
import { aBuild, bootWebhooks } from "./_suite.js";

const ci = bootWebhooks({ keyring: rotation.before, pausesMs: [3_600_000] });
let mongo: Awaited<ReturnType<typeof openMongo>>;
beforeAll(async () => {
  mongo = await openMongo(ci.config.mongoUrl, ci.config.mongoDb);
});
afterAll(() => mongo[Symbol.asyncDispose]());

/** Returns the ids of the keys that encrypt the documents of a collection. */
const keysIn = async (name: string, filter: object = {}) =>
  keysNamedIn(
    JSON.stringify(
      await mongo.db
        .collection<{ _id: number }>(name)
        .find({ _id: { $gt: 0 }, ...filter })
        .toArray(),
    ),
  );
const rotate = () => rotateSecrets(mongo.db, rotation.during, encryptedFields);

/** Restarts the service with other keys. */
async function restart(keyring: typeof rotation.before) {
  Object.assign(ci.config, { keyring });
  await ci.restart();
}

test("rotation re-encrypts secrets, earlier and replaced ones and copies in pending deliveries, which then sign with the new key alone", async () => {
  let status = 500;
  await using inbox = await receiver({ answer: () => ({ status }) });
  const webhook = await ci.aWebhook(await ci.aNamespace(), inbox.url, { secret: "first" });
  const { namespaceId, id } = webhook;
  const change = { namespaceId, id, secret: "second", removeSecret: false };
  await ci.as(ci.users.bob, () => ci.webhooks.updateWebhook(change));
  /** Publishes an event whose first attempt fails. */
  const publishFailing = async (count: number) => {
    await ci.publishBuild("build.submitted", aBuild(namespaceId));
    await eventually(async () => expect(await ci.deliveries(webhook)).toHaveLength(count));
    await eventually(async () => expect((await ci.deliveries(webhook))[count - 1]).toMatchObject({ attemptCount: 1 }));
  };
  await publishFailing(1);
  await restart(rotation.during);
  await publishFailing(2);
  expect([await keysIn("webhooks"), await keysIn("deliveries")]).toEqual([["old"], ["old", "new"]]);

  expect(await rotate()).toEqual({ renewed: 5, left: new Map() });
  expect([await keysIn("webhooks"), await keysIn("deliveries")]).toEqual([["new"], ["new"]]);
  expect(await rotate()).toEqual({ renewed: 0, left: new Map() });

  await restart(rotation.after);
  status = 200;
  ci.advanceClock(7_200_000);
  await ci.settled(webhook, 2);
  expect(inbox.requests).toHaveLength(4);
  for (const request of inbox.requests)
    expect(["first", "second"].filter((secret) => verifies(request, secret))).toEqual(["first", "second"]);
});

test.each([{ active: false, removeSecret: false }, { removeSecret: true }])(
  "a change (%j) that was decided before the rotation does not bring the old key back",
  async (what) => {
    await restart(rotation.before);
    const webhook = await ci.aWebhook(await ci.aNamespace(), "http://example.com/in", { secret: "first" });
    const store = webhookStore(mongo.db, mongo.db.collection<WebhookDoc>("webhooks"), limitOf("Webhooks", "user"));
    let reads = 0;
    // The real store, with a rotation between the read and the change.
    const slow = {
      ...store,
      get: async (...args: Parameters<typeof store.get>) => {
        const read = await store.get(...args);
        if (++reads === 2) await rotate();
        return read;
      },
    };
    await using service = await start({ ...ci.config, keyring: rotation.during }, { webhooks: slow });
    await using peer = connect(`127.0.0.1:${service.port}`);
    const { namespaceId, id } = webhook;
    const change = { namespaceId, id, ...what };
    await ci.as(ci.users.bob, () => peer.client(WebhookServiceDefinition).updateWebhook(change));
    expect(reads).toBe(2);
    expect(await keysIn("webhooks", { _id: id })).toEqual(["new"]);
  },
);
