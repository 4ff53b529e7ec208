import { runAs } from "@ci/kit/rpc/caller";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { as, namespacesSuite } from "./_suite.js";

const ci = namespacesSuite();
let ann: User;
let bob: User;

beforeAll(async () => {
  ann = await ci.aUser("Ann");
  bob = await ci.aUser("bob");
});

const get = async (user: User | undefined, path: string, anonymous = false) =>
  (await runAs(as(user?.id), () => ci.namespaces.getNamespace({ username: "ann", path, anonymous }))).namespace;

describe("succeeds", () => {
  test("returns the owner's namespace, ignoring the case of the username", async () => {
    const root = await ci.aNamespace(ann, "mine");
    const child = await ci.aNamespace(ann, "mine/web");
    expect(await get(ann, "mine")).toEqual(root);
    expect(await get(ann, "mine/web")).toEqual(child);
  });

  test("returns the whole tree to a collaborator of its root", async () => {
    const root = await ci.aNamespace(ann, "shared");
    await ci.aNamespace(ann, "shared/web");
    await ci.addCollaborator(bob, ann, root.id);
    expect(await get(bob, "shared/web")).toMatchObject({ rootId: root.id });
  });

  test.each(["internal", "public"])("returns a child of a root that is %s to every user", async (visibility) => {
    await ci.aNamespace(ann, visibility, visibility);
    await ci.aNamespace(ann, `${visibility}/web`);
    expect(await get(bob, `${visibility}/web`)).toMatchObject({ visibility });
  });

  test("returns a public tree to anonymous badge requests", async () => {
    await ci.aNamespace(ann, "open", "public");
    await ci.aNamespace(ann, "open/web");
    expect(await get(undefined, "open/web", true)).toMatchObject({ path: "open/web" });
  });

  test("returns a deleted user's tree to its collaborators", async () => {
    const gone = await ci.aUser("gone");
    const root = await ci.aNamespace(gone, "legacy");
    await ci.addCollaborator(bob, gone, root.id);
    await runAs(await ci.anAdmin(), () => ci.accounts.deleteUser({ username: "gone" }));
    const request = { username: "gone", path: "legacy" };
    expect((await runAs(as(bob.id), () => ci.namespaces.getNamespace(request))).namespace).toEqual(root);
  });
});

describe("not_found", () => {
  const expectNotFound = (call: Promise<unknown>) => expect(call).rejects.toMatchObject({ code: "not_found" });

  test("rejects a path of thousands of names without looking for each of them", async () => {
    await expectNotFound(get(ann, Array(5_000).fill("a").join("/")));
    await expectNotFound(get(undefined, Array(5_000).fill("a").join("/"), true));
  });

  test("rejects missing paths and owners, and paths in another case", async () => {
    await ci.aNamespace(ann, "exact");
    await expectNotFound(get(ann, "exac"));
    await expectNotFound(get(ann, "Exact"));
    await expectNotFound(get(ann, "exact/child"));
    await expectNotFound(get(ann, ""));
    const request = { username: "nobody", path: "exact" };
    await expectNotFound(runAs(as(ann.id), () => ci.namespaces.getNamespace(request)));
  });

  test("hides a private tree from others", async () => {
    await ci.aNamespace(ann, "secret");
    await expectNotFound(get(bob, "secret"));
  });

  test.each(["private", "internal"])(
    "hides a tree that is %s from badge requests, even of the owner",
    async (visibility) => {
      await ci.aNamespace(ann, `no${visibility}`, visibility);
      await expectNotFound(get(ann, `no${visibility}`, true));
    },
  );

  test("hides deleted namespaces and all below them", async () => {
    const root = await ci.aNamespace(ann, "deleted");
    await ci.aNamespace(ann, "deleted/web");
    await runAs(as(ann.id), () => ci.namespaces.deleteNamespace({ id: root.id }));
    await expectNotFound(get(ann, "deleted"));
    await expectNotFound(get(ann, "deleted/web"));
  });
});

test("rejects a call without a caller", async () => {
  await expect(get(undefined, "open")).rejects.toMatchObject({ code: "unauthenticated" });
});
