import { runAs } from "@ci/kit/rpc/caller";
import { as, namespacesSuite } from "./_suite.js";

const ci = namespacesSuite();
const ids = (records: readonly { id: number }[]) => records.map(({ id }) => id).sort((a, b) => a - b);

describe("succeeds", () => {
  test("returns users and namespaces, and the owners of the namespaces, each once", async () => {
    const [ann, bob] = [await ci.aUser(), await ci.aUser()];
    const root = await ci.aNamespace(ann, "team", "internal");
    const child = await ci.aNamespace(ann, "team/web");
    const request = { userIds: [bob.id, ann.id, bob.id], namespaceIds: [child.id, child.id] };
    const { users, namespaces } = await ci.accounts.resolve(request);
    expect(ids(users)).toEqual([ann.id, bob.id]);
    expect(namespaces).toEqual([child]);
    expect(child.visibility).toBe("internal");
    const owned = await ci.accounts.resolve({ namespaceIds: [root.id, child.id] });
    expect(owned.users).toEqual([ann]);
    expect(ids(owned.namespaces)).toEqual([root.id, child.id]);
  });

  test("returns deleted users too", async () => {
    const gone = await ci.aUser();
    await runAs(await ci.anAdmin(), () => ci.accounts.deleteUser({ username: gone.username }));
    expect((await ci.accounts.resolve({ userIds: [gone.id] })).users).toEqual([
      { ...gone, deletedAt: expect.any(Date) },
    ]);
  });

  test("omits missing and deleted namespaces, and those below deleted ones", async () => {
    const ann = await ci.aUser();
    const root = await ci.aNamespace(ann, "team");
    const child = await ci.aNamespace(ann, "team/web");
    await runAs(as(ann.id), () => ci.namespaces.deleteNamespace({ id: root.id }));
    const request = { userIds: [999_999], namespaceIds: [root.id, child.id, 999_999] };
    expect(await ci.accounts.resolve(request)).toEqual({ users: [], namespaces: [] });
    expect(await ci.accounts.resolve({})).toEqual({ users: [], namespaces: [] });
  });
});
