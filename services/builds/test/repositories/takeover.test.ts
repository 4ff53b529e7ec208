import { RepositoryServiceDefinition, type UpdateRepositoryRequest } from "@ci/proto/builds/v1/repositories";
import { gate } from "@ci/testkit/gate";
import { connect } from "@ci/testkit/identities";
import { limitOf } from "@ci/testkit/quotas";
import { repositoryStore } from "../../src/store/repositories.js";
import { bootHooks, type Hooked } from "./_hooks.js";

const { suite, hooked } = bootHooks();

/** Makes bob the user of a new repository of ann's. */
async function ofBob(): Promise<Hooked> {
  const { ann, bob } = suite.users;
  const hook = await hooked();
  const request = { namespaceId: hook.namespace.id, handle: bob.username };
  const { invite } = await suite.as(ann, () => suite.accounts.namespaces.sendInvite(request));
  await suite.as(bob, () => suite.accounts.namespaces.acceptInvite({ id: invite!.id }));
  await suite.as(bob, () => suite.repositories.updateRepository(requestFor(hook, { secret: "bob's" })));
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
    const hook = await ofBob();
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
