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
  await ci.joins(user, ann, root.id);
  return user;
}
const remove = (by: User, handle: string, { id }: Pick<Namespace, "id"> = root) =>
  runAs(as(by.id), () => ci.namespaces.removeCollaborator({ namespaceId: id, handle }));
const roots = async (user: User) => (await ci.accounts.listMemberships({ userId: user.id })).rootIds;

describe("answers", () => {
  test("removes by username or e-mail, through any namespace of the tree", async () => {
    const [bob, carl] = [await aCollaborator(), await aCollaborator()];
    await remove(ann, bob.username.toUpperCase());
    await remove(ann, carl.email, child);
    expect([await roots(bob), await roots(carl)]).toEqual([[], []]);
  });
});

describe("not_found", () => {
  const refused = (call: Promise<unknown>) => expect(call).rejects.toMatchObject({ code: "not_found" });

  test("rejects users who were never, not yet or are no longer collaborators", async () => {
    const [somebody, invited, bob] = [await ci.aUser(), await ci.aUser(), await aCollaborator()];
    await runAs(as(ann.id), () => ci.namespaces.sendInvite({ namespaceId: root.id, handle: invited.username }));
    await refused(remove(ann, "nobody"));
    await refused(remove(ann, ""));
    await refused(remove(ann, "ann"));
    await refused(remove(ann, somebody.username));
    await refused(remove(ann, invited.username));
    await remove(ann, bob.username);
    await refused(remove(ann, bob.username));
    expect((await runAs(as(invited.id), () => ci.namespaces.listInvites({}))).invites).toHaveLength(1);
  });

  test("rejects all but the owner, even the collaborator", async () => {
    const bob = await aCollaborator();
    await refused(remove(bob, bob.username));
    await refused(remove(await aCollaborator(), bob.username));
    await refused(remove(await ci.aUser(), bob.username));
    expect(await roots(bob)).toEqual([root.id]);
  });
});

describe("events", () => {
  test("publishes one only for services that cache permissions", async () => {
    const bob = await aCollaborator();
    const before = (await ci.told()).length;
    await remove(ann, bob.username);
    const told = (await ci.told()).slice(before).filter(({ actorId }) => actorId === ann.id);
    expect(told).toEqual([
      expect.objectContaining({
        kind: "collaborators",
        namespaceId: undefined,
        body: { $case: "collaborator", value: { action: "deleted", rootId: root.id, userId: bob.id } },
      }),
    ]);
  });
});
