import { runAs } from "@ci/kit/rpc/caller";
import type { AllowRequest_Action, User } from "@ci/proto/namespaces/v1/accounts";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import { as, namespacesSuite } from "./_suite.js";

const ci = namespacesSuite();
let owner: User;
let collaborator: User;
let outsider: User;
/** A root and a child of each visibility, by path. */
const namespaces = new Map<string, Namespace>();

beforeAll(async () => {
  [owner, collaborator, outsider] = [await ci.aUser(), await ci.aUser(), await ci.aUser()];
  for (const visibility of ["private", "internal", "public"]) {
    const root = await ci.aNamespace(owner, visibility, visibility);
    namespaces.set(visibility, root);
    namespaces.set(`${visibility}/child`, await ci.aNamespace(owner, `${visibility}/child`));
    await ci.addCollaborator(collaborator, owner, root.id);
  }
});

async function allowed(user: User, action: AllowRequest_Action): Promise<string[]> {
  const namespaceIds = [...[...namespaces.values()].map(({ id }) => id), 999_999];
  const answer = await ci.accounts.allow({ userId: user.id, action, namespaceIds });
  return [...namespaces].filter(([, { id }]) => answer.namespaceIds.includes(id)).map(([path]) => path);
}
const all = ["private", "private/child", "internal", "internal/child", "public", "public/child"];
const actions = ["view", "write", "own"] as const;

describe("succeeds", () => {
  test("allows the owner everything", async () => {
    for (const action of actions) expect(await allowed(owner, action)).toEqual(all);
  });

  test("allows a collaborator all but owning", async () => {
    expect(await allowed(collaborator, "view")).toEqual(all);
    expect(await allowed(collaborator, "write")).toEqual(all);
    expect(await allowed(collaborator, "own")).toEqual([]);
  });

  test("allows other users, even admins, only to view internal and public namespaces", async () => {
    for (const user of [outsider, await ci.aUser(undefined, true)]) {
      expect(await allowed(user, "view")).toEqual(all.slice(2));
      expect(await allowed(user, "write")).toEqual([]);
      expect(await allowed(user, "own")).toEqual([]);
    }
  });

  test("allows nothing in a deleted tree from the deletion's first write on", async () => {
    const user = await ci.aUser();
    const root = await ci.aNamespace(user, "team");
    const child = await ci.aNamespace(user, "team/web");
    const grandchild = await ci.aNamespace(user, "team/web/api");
    const request = { userId: user.id, action: "own" as const, namespaceIds: [root.id, child.id, grandchild.id] };
    expect((await ci.accounts.allow(request)).namespaceIds).toHaveLength(3);
    // The state after a crash right after that write: everything below is unchanged.
    await ci.db.collection("namespaces").updateOne({ _id: child.id as never }, { $set: { endedAt: new Date() } });
    expect((await ci.accounts.allow(request)).namespaceIds).toEqual([root.id]);
  });

  test("allows a removed collaborator nothing at once", async () => {
    const guest = await ci.aUser();
    const root = await ci.aNamespace(owner, "guests");
    await ci.addCollaborator(guest, owner, root.id);
    const request = { userId: guest.id, action: "view" as const, namespaceIds: [root.id] };
    expect((await ci.accounts.allow(request)).namespaceIds).toEqual([root.id]);
    const removal = { namespaceId: root.id, handle: guest.username };
    await runAs(as(owner.id), () => ci.namespaces.removeCollaborator(removal));
    expect((await ci.accounts.allow(request)).namespaceIds).toEqual([]);
  });

  test("returns nothing for an empty request", async () => {
    expect(await ci.accounts.allow({ userId: owner.id, action: "view" })).toEqual({ namespaceIds: [] });
  });
});
