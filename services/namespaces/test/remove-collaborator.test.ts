import { runAs } from "@ci/kit/rpc/caller";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
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

async function aCollaborator(): Promise<User> {
  const user = await ci.aUser();
  await ci.addCollaborator(user, ann, root.id);
  return user;
}
const remove = (by: User, handle: string, { id }: Pick<Namespace, "id"> = root) =>
  runAs(as(by.id), () => ci.namespaces.removeCollaborator({ namespaceId: id, handle }));
const leave = (user: User, { id }: Pick<Namespace, "id"> = root) =>
  runAs(as(user.id), () => ci.namespaces.leaveNamespace({ namespaceId: id }));
const roots = async (user: User) => (await ci.accounts.listMemberships({ userId: user.id })).rootIds;

describe("succeeds", () => {
  test("removes by username or e-mail, through any namespace of the tree", async () => {
    const [bob, carl] = [await aCollaborator(), await aCollaborator()];
    await remove(ann, bob.username.toUpperCase());
    await remove(ann, carl.email, child);
    expect([await roots(bob), await roots(carl)]).toEqual([[], []]);
  });

  test("a collaborator leaves through any namespace of the tree", async () => {
    const [bob, carl] = [await aCollaborator(), await aCollaborator()];
    await leave(bob);
    await leave(carl, child);
    expect([await roots(bob), await roots(carl)]).toEqual([[], []]);
  });
});

describe("not_found", () => {
  const expectNotFound = (call: Promise<unknown>) => expect(call).rejects.toMatchObject({ code: "not_found" });

  test("rejects users who are not collaborators: never were, are only invited or no longer are", async () => {
    const [outsider, invited, bob] = [await ci.aUser(), await ci.aUser(), await aCollaborator()];
    await runAs(as(ann.id), () => ci.namespaces.sendInvite({ namespaceId: root.id, handle: invited.username }));
    await expectNotFound(remove(ann, "nobody"));
    await expectNotFound(remove(ann, ""));
    await expectNotFound(remove(ann, "ann"));
    await expectNotFound(remove(ann, outsider.username));
    await expectNotFound(remove(ann, invited.username));
    await remove(ann, bob.username);
    await expectNotFound(remove(ann, bob.username));
    expect((await runAs(as(invited.id), () => ci.namespaces.listInvites({}))).invites).toHaveLength(1);
  });

  test("rejects calls from anyone but the owner, even from the collaborator", async () => {
    const bob = await aCollaborator();
    await expectNotFound(remove(bob, bob.username));
    await expectNotFound(remove(await aCollaborator(), bob.username));
    await expectNotFound(remove(await ci.aUser(), bob.username));
    expect(await roots(bob)).toEqual([root.id]);
  });

  test("rejects leaving without a collaboration, whatever the user sees, and twice", async () => {
    const [outsider, invited, bob] = [await ci.aUser(), await ci.aUser(), await aCollaborator()];
    await runAs(as(ann.id), () => ci.namespaces.sendInvite({ namespaceId: root.id, handle: invited.username }));
    const seen = await ci.aNamespace(ann, "seen", "internal");
    await expectNotFound(leave(outsider));
    await expectNotFound(leave(outsider, seen));
    await expectNotFound(leave(invited));
    await leave(bob);
    await expectNotFound(leave(bob));
    await expectNotFound(leave(ann));
    expect((await runAs(as(invited.id), () => ci.namespaces.listInvites({}))).invites).toHaveLength(1);
  });
});

describe("events", () => {
  test("publishes one event, only for services that cache permissions", async () => {
    const bob = await aCollaborator();
    const before = (await ci.publishedEvents()).length;
    await remove(ann, bob.username);
    const events = (await ci.publishedEvents()).slice(before).filter(({ actorId }) => actorId === ann.id);
    expect(events).toEqual([
      expect.objectContaining({
        kind: "collaborators",
        namespaceId: undefined,
        body: { $case: "collaborator", value: { action: "deleted", rootId: root.id, userId: bob.id } },
      }),
    ]);
  });
});
