import { runAs } from "@ci/kit/rpc/caller";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import type { ListNamespacesRequest } from "@ci/proto/namespaces/v1/namespaces";
import { as, namespacesSuite } from "./_suite.js";

const ci = namespacesSuite();
let ann: User;
let bob: User;

beforeAll(async () => {
  ann = await ci.aUser("ann");
  bob = await ci.aUser("bob");
});

const list = (user: User, filter: Partial<ListNamespacesRequest> = {}) =>
  runAs(as(user.id), () => ci.namespaces.listNamespaces(filter));
const paths = async (user: User, filter: Partial<ListNamespacesRequest> = {}) =>
  (await list(user, filter)).namespaces.map(({ path }) => path);

describe("succeeds", () => {
  test("lists the caller's own trees and those they collaborate on, by path", async () => {
    const [ann, bob] = [await ci.aUser(), await ci.aUser()];
    for (const path of ["zoo", "Bear", "ant", "ant/queen"]) await ci.aNamespace(ann, path);
    await ci.aNamespace(bob, "open", "public");
    const cow = await ci.aNamespace(bob, "cow", "internal");
    await ci.aNamespace(bob, "cow/calf");
    await ci.aNamespace(bob, "ant");
    await ci.addCollaborator(ann, bob, cow.id);
    expect(await paths(ann)).toEqual(["Bear", "ant", "ant/queen", "cow", "cow/calf", "zoo"]);
    const { namespaces } = await list(ann);
    expect(namespaces.filter(({ rootId }) => rootId === cow.id).map(({ visibility }) => visibility)).toEqual([
      "internal",
      "internal",
    ]);
  });

  test("omits a tree that the caller left", async () => {
    const carl = await ci.aUser("carl");
    const root = await ci.aNamespace(ann, "left");
    await ci.addCollaborator(carl, ann, root.id);
    expect(await paths(carl)).toEqual(["left"]);
    await runAs(as(ann.id), () => ci.namespaces.removeCollaborator({ namespaceId: root.id, handle: "carl" }));
    expect(await paths(carl)).toEqual([]);
  });

  test("searches the path, ignoring case, without wildcards", async () => {
    const dora = await ci.aUser("dora");
    for (const path of ["Alpha", "Alpha/beta", "gamma"]) await ci.aNamespace(dora, path);
    expect(await paths(dora, { search: "A/BE" })).toEqual(["Alpha/beta"]);
    expect(await paths(dora, { search: "alpha" })).toEqual(["Alpha", "Alpha/beta"]);
    expect(await paths(dora, { search: "." })).toEqual([]);
  });

  test("lists direct children to users who may view the parent", async () => {
    const root = await ci.aNamespace(ann, "parent", "internal");
    for (const path of ["parent/two", "parent/one", "parent/one/deep"]) await ci.aNamespace(ann, path);
    expect(await paths(bob, { parentId: root.id })).toEqual(["parent/one", "parent/two"]);
    expect(await paths(bob, { parentId: root.id, search: "TWO" })).toEqual(["parent/two"]);
  });

  test("returns pages of 25", async () => {
    const emil = await ci.aUser("emil");
    const names = Array.from({ length: 27 }, (_, index) => `name${String(index).padStart(2, "0")}`);
    for (const name of names) await ci.aNamespace(emil, name);
    const first = await list(emil);
    expect(first.namespaces.map(({ path }) => path)).toEqual(names.slice(0, 25));
    expect(first.page).toMatchObject({ hasNext: true });
    const second = await list(emil, { page: { number: 2 } });
    expect(second.namespaces.map(({ path }) => path)).toEqual(names.slice(25));
    expect(second.page).toMatchObject({ hasNext: false });
    expect(await list(emil, { page: { number: 9 } })).toEqual({
      namespaces: [],
      page: { hasNext: false, lastPage: 2 },
    });
  });
});

describe("not_found", () => {
  test("hides children of missing and others' private namespaces", async () => {
    const root = await ci.aNamespace(ann, "secret");
    await expect(list(bob, { parentId: root.id })).rejects.toMatchObject({ code: "not_found" });
    await expect(list(bob, { parentId: 999_999 })).rejects.toMatchObject({ code: "not_found" });
  });
});
