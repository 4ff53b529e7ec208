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
  root = await ci.aNamespace(ann, "team", "public");
  child = await ci.aNamespace(ann, "team/web");
});

const invite = async (namespace: Pick<Namespace, "id">, user: User, from = ann) => {
  const request = { namespaceId: namespace.id, handle: user.username };
  return (await runAs(as(from.id), () => ci.namespaces.sendInvite(request))).invite!;
};
const list = (user: User, namespaceId?: number, number?: number) =>
  runAs(as(user.id), () =>
    ci.namespaces.listInvites({ namespaceId, page: number === undefined ? undefined : { number } }),
  );

describe("succeeds", () => {
  test("lists all invites to the caller in order of sending", async () => {
    const [bob, carl] = [await ci.aUser(), await ci.aUser()];
    const bobs = await ci.aNamespace(bob, "bobs");
    const sent = [await invite(child, carl), await invite(bobs, carl, bob)];
    await invite(root, bob);
    expect((await list(carl)).invites).toEqual(sent);
  });

  test("lists a tree's open invites to its owner", async () => {
    const owner = await ci.aUser();
    const top = await ci.aNamespace(owner, "top");
    const below = await ci.aNamespace(owner, "top/below");
    const [first, second, joined] = [await ci.aUser(), await ci.aUser(), await ci.aUser()];
    const sent = [await invite(below, first, owner), await invite(top, second, owner)];
    await ci.addCollaborator(joined, owner, top.id);
    expect((await list(owner, top.id)).invites).toEqual(sent);
    expect((await list(owner, below.id)).invites).toEqual(sent);
  });

  test("returns pages of 25", async () => {
    const owner = await ci.aUser();
    const top = await ci.aNamespace(owner, "many");
    for (let index = 0; index < 26; index++) await invite(top, await ci.aUser(), owner);
    expect((await list(owner, top.id)).invites).toHaveLength(25);
    expect((await list(owner, top.id)).page).toMatchObject({ hasNext: true });
    expect((await list(owner, top.id, 2)).invites).toHaveLength(1);
    expect((await list(owner, top.id, 3)).page).toMatchObject({ lastPage: 2 });
  });
});

describe("not_found", () => {
  test("hides a tree's invites from all but its owner", async () => {
    const collaborator = await ci.aUser();
    await ci.addCollaborator(collaborator, ann, root.id);
    await expect(list(collaborator, root.id)).rejects.toMatchObject({ code: "not_found" });
    await expect(list(await ci.aUser(), root.id)).rejects.toMatchObject({ code: "not_found" });
    await expect(list(ann, 999_999)).rejects.toMatchObject({ code: "not_found" });
  });
});
