import { runAs } from "@ci/kit/rpc/caller";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import type { Invite, Namespace } from "@ci/proto/namespaces/v1/namespaces";
import { as, namespacesSuite } from "./_suite.js";

const ci = namespacesSuite();
let ann: User;
let root: Namespace;
let child: Namespace;

beforeAll(async () => {
  ann = await ci.aUser("ann");
  root = await ci.aNamespace(ann, "team");
  child = await ci.aNamespace(ann, "team/web");
});

async function inviteUser(namespace: Pick<Namespace, "id"> = child): Promise<{ user: User; invite: Invite }> {
  const user = await ci.aUser();
  const request = { namespaceId: namespace.id, handle: user.username };
  return { user, invite: (await runAs(as(ann.id), () => ci.namespaces.sendInvite(request))).invite! };
}
const accept = (user: User, { id }: Pick<Invite, "id">) => runAs(as(user.id), () => ci.namespaces.acceptInvite({ id }));

describe("succeeds", () => {
  test("returns the invite and the root, and makes the user a collaborator of the whole tree", async () => {
    const { user, invite } = await inviteUser();
    expect(await accept(user, invite)).toEqual({ invite, root });
    const request = { userId: user.id, action: "write" as const, namespaceIds: [root.id, child.id] };
    expect((await ci.accounts.allow(request)).namespaceIds).toHaveLength(2);
    expect((await runAs(as(user.id), () => ci.namespaces.listInvites({}))).invites).toEqual([]);
  });
});

describe("not_found", () => {
  test("only the invitee can accept an invite, and only once", async () => {
    const { user, invite } = await inviteUser();
    const notFound = { code: "not_found" };
    await expect(accept(ann, invite)).rejects.toMatchObject(notFound);
    await expect(accept(await ci.aUser(), invite)).rejects.toMatchObject(notFound);
    await expect(accept(user, { id: 999_999 })).rejects.toMatchObject(notFound);
    await accept(user, invite);
    await expect(accept(user, invite)).rejects.toMatchObject(notFound);
  });

  test("accepting and rejecting at the same time: exactly one succeeds", async () => {
    const { user, invite } = await inviteUser();
    const [accepted, rejected] = await Promise.allSettled([
      accept(user, invite),
      runAs(as(user.id), () => ci.namespaces.deleteInvite({ id: invite.id })),
    ]);
    expect([accepted.status, rejected.status].sort()).toEqual(["fulfilled", "rejected"]);
    const { rootIds } = await ci.accounts.listMemberships({ userId: user.id });
    expect(rootIds).toEqual(accepted.status === "fulfilled" ? [root.id] : []);
  });
});

describe("events", () => {
  test("publishes one event for the invite's namespace and one for other services", async () => {
    const { user, invite } = await inviteUser();
    await accept(user, invite);
    const events = (await ci.publishedEvents()).filter(({ actorId }) => actorId === user.id);
    expect(events).toEqual([
      expect.objectContaining({
        kind: "invite.accepted",
        namespaceId: child.id,
        body: { $case: "invite", value: invite },
      }),
      expect.objectContaining({
        kind: "collaborators",
        namespaceId: undefined,
        body: { $case: "collaborator", value: { action: "created", rootId: root.id, userId: user.id } },
      }),
    ]);
  });
});
