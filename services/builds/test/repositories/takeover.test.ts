import { openMongo } from "@ci/kit/mongo/mongo";
import { RepositoryServiceDefinition, type UpdateRepositoryRequest } from "@ci/proto/builds/v1/repositories";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { gate } from "@ci/testkit/gate";
import { connect } from "@ci/testkit/identities";
import { limitOf } from "@ci/testkit/quotas";
import { repositoryStore } from "../../src/store/repositories.js";
import { fromGithub, github } from "../_hook-payloads.js";
import { bootHooks, type Hooked, manifest } from "./_hooks.js";

const { suite, hooked, deliveriesOf } = bootHooks();
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
