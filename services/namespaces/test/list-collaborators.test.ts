import { runAs } from "@ci/kit/rpc/caller";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { as, namespacesSuite } from "./_suite.js";

const ci = namespacesSuite();
const list = (user: User, namespaceId: number, number = 1) =>
  runAs(as(user.id), () => ci.namespaces.listCollaborators({ namespaceId, page: { number } }));

describe("succeeds", () => {
  test("lists the tree's collaborators to its members, in order of joining", async () => {
    const owner = await ci.aUser();
    const root = await ci.aNamespace(owner, "team");
    const child = await ci.aNamespace(owner, "team/web");
    const [early, late, invited] = [await ci.aUser(), await ci.aUser(), await ci.aUser()];
    // The first invited user joins last.
    const request = { namespaceId: root.id, handle: late.username };
    const { invite } = await runAs(as(owner.id), () => ci.namespaces.sendInvite(request));
    await ci.addCollaborator(early, owner, child.id);
    ci.clock.offsetMs += 1_000;
    await runAs(as(late.id), () => ci.namespaces.acceptInvite({ id: invite!.id }));
    await runAs(as(owner.id), () => ci.namespaces.sendInvite({ namespaceId: root.id, handle: invited.username }));
    const { collaborators } = await list(owner, root.id);
    expect(collaborators).toEqual([
      { userId: early.id, rootId: root.id, createdAt: expect.any(Date) },
      { userId: late.id, rootId: root.id, createdAt: expect.any(Date) },
    ]);
    expect(collaborators[1]!.createdAt!.getTime()).toBeGreaterThan(invite!.createdAt!.getTime());
    expect((await list(early, child.id)).collaborators).toEqual(collaborators);
  });

  test("returns pages of 25", async () => {
    const owner = await ci.aUser();
    const root = await ci.aNamespace(owner, "many");
    for (let index = 0; index < 26; index++) await ci.addCollaborator(await ci.aUser(), owner, root.id);
    expect((await list(owner, root.id)).collaborators).toHaveLength(25);
    expect((await list(owner, root.id)).page).toMatchObject({ hasNext: true });
    expect((await list(owner, root.id, 2)).collaborators).toHaveLength(1);
    expect((await list(owner, root.id, 3)).page).toMatchObject({ lastPage: 2 });
  });
});

describe("not_found", () => {
  test("rejects viewers", async () => {
    const owner = await ci.aUser();
    const root = await ci.aNamespace(owner, "open", "public");
    await expect(list(await ci.aUser(), root.id)).rejects.toMatchObject({ code: "not_found" });
  });
});
