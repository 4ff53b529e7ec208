import { randomUUID } from "node:crypto";
import { openMongo } from "@ci/kit/mongo/mongo";
import { RepositoryServiceDefinition, type UpdateRepositoryRequest } from "@ci/proto/builds/v1/repositories";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { eventually } from "@ci/testkit/eventually";
import { gate } from "@ci/testkit/gate";
import { connect } from "@ci/testkit/identities";
import { limitOf } from "@ci/testkit/quotas";
import type { Answer } from "@ci/testkit/receiver";
import { dayMs } from "../../src/domain/hooks/unapproved.js";
import type { HookDelivery } from "../../src/store/hooks/hook-deliveries.js";
import { repositoryStore } from "../../src/store/repositories.js";
import { fromGithub, github } from "../_hook-payloads.js";
import { bootHooks, type Hooked, manifest } from "./_hooks.js";

let answer: Answer | undefined;
const { suite, hooked, deliveriesOf } = bootHooks({ hookPausesMs: [dayMs] }, { before: async () => answer });
const theirs = "a secret of the member";

/** Makes a member the user of a new repository in a namespace of ann's. */
async function repositoryOf(user: User): Promise<Hooked> {
  const hook = await hooked();
  const request = { namespaceId: hook.namespace.id, handle: user.username };
  const { invite } = await suite.as(suite.users.ann, () => suite.accounts.namespaces.sendInvite(request));
  await suite.as(user, () => suite.accounts.namespaces.acceptInvite({ id: invite!.id }));
  await suite.as(user, () => suite.repositories.updateRepository(requestFor(hook, { secret: theirs })));
  return hook;
}

const requestFor = ({ namespace, record }: Hooked, change: Partial<UpdateRepositoryRequest>) => ({
  ...{ namespaceId: namespace.id, id: record.id, removeAccessToken: false },
  ...change,
});

it.each([
  ["secret", { secret: "bob's newest" }, { userId: "bob", hasAccessToken: false, hook: "by_hand" }],
  ["settings", { cancelSuperseded: true }, { userId: "ann", hasAccessToken: true, cancelSuperseded: true }],
] as const)(
  "a late change of the %s by the former user does not combine with the access token of the new one",
  async (_, late, expected) => {
    const hook = await repositoryOf(suite.users.bob);
    const { ann, bob } = suite.users;
    const stall = gate();
    const real = repositoryStore(suite.database(), limitOf("Repositories", "user"));
    let reads = 0;
    // Stalls after the first read.
    const byId = async (id: number) => {
      const found = await real.byId(id);
      if (reads++ === 0) await stall.pass();
      return found;
    };
    await using stalling = await suite.startService({ repositories: { ...real, byId } });
    await using peer = connect(`127.0.0.1:${stalling.port}`);
    const { updateRepository } = peer.client(RepositoryServiceDefinition);
    const changed = suite.as(bob, () => updateRepository(requestFor(hook, late)));
    await stall.reached;
    const takeover = requestFor(hook, { secret: "ann's", accessToken: "ann's" });
    await suite.as(ann, () => suite.repositories.updateRepository(takeover));
    stall.open();
    const userId = suite.users[expected.userId].id;
    expect((await changed).repository).toMatchObject({ ...expected, userId });
    const stored = await suite.storedRepository(hook.record.id);
    expect(stored.sealedToken !== undefined).toBe(expected.hasAccessToken);
  },
);

it("a repository whose user is deleted makes no builds, even before this service hears of the deletion", async () => {
  const user = await suite.accounts.aUser("gone");
  const hook = await repositoryOf(user);
  const sha = await hook.git.commit({ ".service-ci.yml": manifest });
  const push = (id: string) => hook.send(fromGithub("push", github.push({ sha, message: id }), theirs, id));
  expect(await push("before")).toHaveLength(1);
  await using mongo = await openMongo(suite.names.mongoUrl, `${suite.names.mongoDb}_namespaces`);
  await mongo.db.collection<{ _id: number }>("users").updateOne({ _id: user.id }, { $set: { endedAt: new Date() } });
  expect(await push("after")).toEqual([]);
  const reasons = ["the repository's user may no longer submit to the namespace"];
  expect((await deliveriesOf(hook))[0]).toMatchObject({ status: "failed", reasons });
});

describe("a delivery that was received for an earlier user", () => {
  const ignored = {
    status: "skipped",
    builds: [],
    reasons: ["received for an earlier user of this repository; push again"],
  };
  const stored = () => suite.database().collection<HookDelivery>("hookDeliveries");

  /** Sends a push that a member signed, and lets ann take the repository over afterwards. */
  async function takenOver() {
    const hook = await repositoryOf(suite.users.bob);
    const sha = await hook.git.commit({ ".service-ci.yml": manifest });
    await hook.send(fromGithub("push", github.push({ sha }), theirs, randomUUID()));
    const [delivery] = await deliveriesOf(hook);
    const takeover = requestFor(hook, { secret: "ann's" });
    await suite.as(suite.users.ann, () => suite.repositories.updateRepository(takeover));
    return { hook, number: delivery!.id, which: { repositoryId: hook.record.id, number: delivery!.id } };
  }

  const redeliver = async ({ namespace, record }: Hooked, id: number, user = suite.users.bob) => {
    const ref = { namespaceId: namespace.id, repositoryId: record.id, id };
    return (await suite.as(user, () => suite.repositories.redeliverHook(ref))).delivery!;
  };

  afterEach(() => {
    answer = undefined;
  });

  it("makes no build when a user redelivers it, and neither does its redelivery", async () => {
    const { hook, number } = await takenOver();
    const again = await redeliver(hook, number);
    expect(again).toMatchObject(ignored);
    expect(await redeliver(hook, again.id, suite.users.ann)).toMatchObject(ignored);
  });

  it("makes no build when it is retried", async () => {
    answer = { status: 404 };
    const { hook, which } = await takenOver();
    answer = undefined;
    expect((await stored().updateOne(which, { $set: { dueAt: new Date(0) } })).matchedCount).toBe(1);
    await (await hooked()).push({ sha: "1".repeat(40) });
    await eventually(async () => expect((await deliveriesOf(hook))[0]).toMatchObject(ignored));
  });

  it("makes no build if an older version received it", async () => {
    const { hook, number, which } = await takenOver();
    await stored().updateOne(which, { $unset: { userId: true } });
    expect(await redeliver(hook, number)).toMatchObject(ignored);
  });
});

it.each([
  ["again if it made builds of the same user", manifest, "built"],
  ["no more if it made none, so nothing says whose it was", "driver: {}", "skipped"],
])("a delivery that an older version received makes builds %s", async (_, text, status) => {
  const hook = await hooked();
  await hook.push({ sha: await hook.git.commit({ ".service-ci.yml": text }) });
  const [delivery] = await deliveriesOf(hook);
  const which = { repositoryId: hook.record.id, number: delivery!.id };
  const stored = suite.database().collection<HookDelivery>("hookDeliveries");
  await stored.updateOne(which, { $unset: { userId: true } });
  const ref = { namespaceId: hook.namespace.id, repositoryId: hook.record.id, id: delivery!.id };
  const { delivery: again } = await suite.as(suite.users.ann, () => suite.repositories.redeliverHook(ref));
  expect(again).toMatchObject({ status });
});
