import type { User } from "@ci/proto/namespaces/v1/accounts";
import { AccountServiceDefinition } from "@ci/proto/namespaces/v1/accounts";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import { eventually } from "@ci/testkit/eventually";
import { gate } from "@ci/testkit/gate";
import { connect } from "@ci/testkit/identities";
import { receiver } from "@ci/testkit/receiver";
import { type Collection, MongoClient } from "mongodb";
import type { Context } from "../src/context.js";
import { start } from "../src/service.js";
import type { WebhookDoc } from "../src/store/webhook-doc.js";
import { aBuild, bootWebhooks } from "./_suite.js";

const ci = bootWebhooks();
let mongo: MongoClient;
let webhooks: Collection<WebhookDoc>;
beforeAll(() => {
  mongo = new MongoClient(ci.names.mongoUrl);
  webhooks = mongo.db(ci.config.mongoDb).collection("webhooks");
});
afterAll(() => mongo.close());

const stored = (_id: number) => webhooks.findOne({ _id });

/** The replicas that stalled. They run until the end of the tests, because they recheck what they created. */
const stopping: AsyncDisposable[] = [];
afterAll(async () => {
  for (const service of stopping) await service[Symbol.asyncDispose]();
});

/** Creates a webhook on a replica that stalls between its last check and its write. */
async function createdLate(user: User, namespace: Namespace, runDeletion: () => Promise<void>) {
  const stall = gate();
  await using peer = connect(ci.accounts.address);
  const real = peer.client(AccountServiceDefinition);
  const accounts: Context["accounts"] = {
    allow: (request) => real.allow(request),
    listDeletions: (request) => real.listDeletions(request),
    listMemberships: (request) => real.listMemberships(request),
    resolve: async (request) => {
      const answer = await real.resolve(request);
      await stall.pass();
      return answer;
    },
  };
  const late = await start(ci.config, { now: ci.now, accounts });
  stopping.push(late);
  const client = ci.clientTo(late);
  const request = {
    namespaceId: namespace.id,
    payloadUrl: "http://127.0.0.1:9/late",
    secret: "",
    ssl: false,
    events: [],
  };
  const creating = ci.as(user, () => client.createWebhook(request));
  await Promise.race([stall.reached, creating]);
  await runDeletion();
  // From here on, only the recheck of the stalled replica can find the webhook.
  const never = { $set: { sweepAt: new Date("2999-01-01") } };
  await mongo
    .db(ci.config.mongoDb)
    .collection("deletions")
    .updateMany({ sweepAt: { $exists: true } }, never);
  stall.open();
  return (await creating).webhook!;
}
const deletion = (_id: string) =>
  mongo.db(ci.config.mongoDb).collection<{ _id: string; sweepAt: Date }>("deletions").findOne({ _id });
const deletionIsRecorded = (id: string) => eventually(async () => expect(await deletion(id)).not.toBeNull());

/** Advances the clock until a deletion is swept, and waits for that. */
async function sweep(id: string): Promise<void> {
  const { sweepAt } = (await deletion(id))!;
  ci.advanceClock(Math.max(0, sweepAt.getTime() - ci.now().getTime()) + 1_000);
  await eventually(async () => expect((await deletion(id))!.sweepAt > sweepAt).toBe(true));
}

test("a webhook stays until it has delivered the deletion of its namespace", async () => {
  const stall = gate();
  await using inbox = await receiver({ answer: () => stall.pass().then(() => ({ status: 200 })) });
  const namespace = await ci.aNamespace();
  const webhook = await ci.aWebhook(namespace, inbox.url);
  await ci.publishBuild("build.submitted", aBuild(namespace.id));
  await stall.reached;
  await ci.as(ci.users.ann, () => ci.accounts.namespaces.deleteNamespace({ id: namespace.id }));
  await deletionIsRecorded(`namespace:${namespace.id}`);
  await sweep(`namespace:${namespace.id}`);
  stall.open();
  await eventually(async () => expect(await stored(webhook.id)).toBeNull());
  expect(inbox.requests.map(({ headers }) => headers["x-service-ci-event"])).toEqual(["build.submitted", "namespaces"]);
});

test("a webhook that is created while its namespace is deleted is removed", async () => {
  const { ann, bob } = ci.users;
  const namespace = await ci.aNamespace();
  const { id } = await createdLate(bob, namespace, async () => {
    await ci.as(ann, () => ci.accounts.namespaces.deleteNamespace({ id: namespace.id }));
    await deletionIsRecorded(`namespace:${namespace.id}`);
  });
  await eventually(async () => expect(await stored(id)).toBeNull());
});

test("a webhook that is created while its user is deleted is deactivated", async () => {
  const user = await ci.accounts.aUser("leaver");
  const namespace = await ci.accounts.aNamespace(user, "leaving");
  const { id } = await createdLate(user, namespace, async () => {
    await ci.deleteUser(user.username);
    await deletionIsRecorded(`user:${user.id}`);
  });
  await eventually(async () => expect(await stored(id)).toMatchObject({ active: false }));
});

test("a webhook that a collaborator activates after the owner was deleted stays active", async () => {
  const owner = await ci.accounts.aUser("founder");
  const { bob } = ci.users;
  const namespace = await ci.accounts.aNamespace(owner, "founded");
  const request = { namespaceId: namespace.id, handle: bob.username };
  const { invite } = await ci.as(owner, () => ci.accounts.namespaces.sendInvite(request));
  await ci.as(bob, () => ci.accounts.namespaces.acceptInvite({ id: invite!.id }));
  const webhook = await ci.aWebhook(namespace, "http://127.0.0.1:9/kept");
  // The clock of namespaces is behind that of these tests.
  await webhooks.updateOne({ _id: webhook.id }, { $set: { activeSince: new Date() } });
  await ci.deleteUser(owner.username);
  await eventually(async () => expect(await stored(webhook.id)).toMatchObject({ active: false }));
  const { namespaceId, id } = webhook;
  const activation = { namespaceId, id, payloadUrl: "", secret: "", active: true };
  await ci.as(bob, () => ci.webhooks.updateWebhook(activation));
  const added = await ci.aWebhook(namespace, "http://127.0.0.1:9/added");
  await sweep(`user:${owner.id}`);
  for (const { id } of [webhook, added]) expect(await stored(id)).toMatchObject({ active: true });
});
