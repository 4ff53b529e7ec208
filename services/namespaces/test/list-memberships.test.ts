import { runAs } from "@ci/kit/rpc/caller";
import { as, namespacesSuite } from "./_suite.js";

const ci = namespacesSuite();

describe("succeeds", () => {
  test("lists the roots a user collaborates on, without their own and pending invites", async () => {
    const [ann, bob] = [await ci.aUser(), await ci.aUser()];
    await ci.aNamespace(ann, "own");
    const joined = await ci.aNamespace(bob, "joined");
    const child = await ci.aNamespace(bob, "other");
    const invited = await ci.aNamespace(bob, "invited");
    await ci.addCollaborator(ann, bob, joined.id);
    await ci.addCollaborator(ann, bob, (await ci.aNamespace(bob, "other/child")).id);
    const request = { namespaceId: invited.id, handle: ann.username };
    await runAs(as(bob.id), () => ci.namespaces.sendInvite(request));
    const { rootIds } = await ci.accounts.listMemberships({ userId: ann.id });
    expect([...rootIds].sort()).toEqual([joined.id, child.id].sort());
    expect(await ci.accounts.listMemberships({ userId: bob.id })).toEqual({ rootIds: [] });
  });
});
