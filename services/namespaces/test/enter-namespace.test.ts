import { runAs } from "@ci/kit/rpc/caller";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { as, namespacesSuite } from "./_suite.js";

const ci = namespacesSuite();
let ann: User;
let bob: User;

beforeAll(async () => {
  ann = await ci.aUser("ann");
  bob = await ci.aUser("bob");
});

const enter = async (user: User, name: string, create = true) =>
  (await runAs(as(user.id), () => ci.namespaces.enterNamespace({ name, userId: user.id, create }))).namespace;
const paths = async (user: User) =>
  (await runAs(as(user.id), () => ci.namespaces.listNamespaces({}))).namespaces.map(({ path }) => path);

/** Creates a user for one test, so that the test sees only its own namespaces. */
const newUser = async () => ci.aUser();

describe("succeeds", () => {
  test("returns an existing namespace and creates nothing", async () => {
    const user = await newUser();
    const root = await ci.aNamespace(user, "team", "internal");
    expect(await enter(user, "team")).toEqual(root);
    expect(await enter(user, `team@${user.username.toUpperCase()}`)).toEqual(root);
    expect(await paths(user)).toEqual(["team"]);
  });

  test("returns nothing for a missing namespace if creation is not requested", async () => {
    const user = await newUser();
    expect(await enter(user, "team/web", false)).toBeUndefined();
    expect(await paths(user)).toEqual([]);
  });

  test("creates missing elements, with a private root", async () => {
    const user = await newUser();
    const entered = await enter(user, "team/web/api");
    expect(entered).toMatchObject({ userId: user.id, path: "team/web/api", name: "api", visibility: "private" });
    expect(await paths(user)).toEqual(["team", "team/web", "team/web/api"]);
    expect(await enter(user, "team/web/api")).toEqual(entered);
  });

  test("new elements inherit the root's visibility", async () => {
    const user = await newUser();
    await ci.aNamespace(user, "open", "public");
    expect(await enter(user, "open/web")).toMatchObject({ visibility: "public" });
  });

  test("a namespace that a collaborator creates belongs to the root's owner", async () => {
    const [owner, guest] = [await newUser(), await newUser()];
    const root = await ci.aNamespace(owner, "team");
    await ci.addCollaborator(guest, owner, root.id);
    expect(await enter(guest, `team/web@${owner.username}`)).toMatchObject({ userId: owner.id, rootId: root.id });
    expect(await paths(owner)).toEqual(["team", "team/web"]);
  });

  test("50 concurrent requests get the same new namespace", async () => {
    const user = await newUser();
    const entered = await Promise.all(Array.from({ length: 50 }, () => enter(user, "team/web/api")));
    expect(new Set(entered.map((namespace) => namespace!.id)).size).toBe(1);
    expect(await paths(user)).toEqual(["team", "team/web", "team/web/api"]);
  });

  test("creates a new namespace in place of a deleted one", async () => {
    const user = await newUser();
    const before = await enter(user, "team/web");
    await runAs(as(user.id), () => ci.namespaces.deleteNamespace({ id: before!.rootId }));
    const after = await enter(user, "team/web");
    expect(after!.id).toBeGreaterThan(before!.id);
    expect(await paths(user)).toEqual(["team", "team/web"]);
  });
});

describe("invalid", () => {
  const expectRefusal = (user: User, name: string, ...namespace: string[]) =>
    expect(enter(user, name)).rejects.toMatchObject({ code: "invalid", fields: { namespace } });
  const characters =
    "Namespace name can only contain letters, numbers, dots, dashes, and underscores, and begin with a letter or number";
  const length = "Namespace name cannot be longer than 64 characters in length";

  test("one answer lists all mistakes in a name, and nothing is created", async () => {
    const user = await newUser();
    await expectRefusal(user, "good/-d", characters);
    await expectRefusal(user, `good/${"a".repeat(65)}`, length);
    await expectRefusal(user, Array(21).fill("abc").join("/"), "Namespace cannot exceed depth of 20");
    await expectRefusal(user, `_${"a".repeat(64)}@nobody`, characters, length, "Namespace invalid owner");
    expect(await paths(user)).toEqual([]);
  });

  test("rejects a missing or deleted owner", async () => {
    const gone = await newUser();
    await runAs(await ci.anAdmin(), () => ci.accounts.deleteUser({ username: gone.username }));
    await expectRefusal(ann, "team@nobody", "Namespace invalid owner");
    await expectRefusal(ann, "team@", "Namespace invalid owner");
    await expectRefusal(ann, `team@${gone.username}`, "Namespace invalid owner");
  });

  test("rejects another user's namespace for a non-member, whether it exists or not, and creates nothing", async () => {
    await ci.aNamespace(bob, "bobs", "public");
    const before = await paths(bob);
    await expectRefusal(ann, "bobs@bob", "Namespace permission denied");
    await expectRefusal(ann, "bobs/web@bob", "Namespace permission denied");
    await expectRefusal(ann, "newroot@bob", "Namespace permission denied");
    await expect(enter(ann, "bobs@bob", false)).rejects.toMatchObject({ code: "invalid" });
    expect(await paths(bob)).toEqual(before);
  });

  test("rejects a former collaborator", async () => {
    const root = await ci.aNamespace(bob, "left");
    await ci.addCollaborator(ann, bob, root.id);
    await enter(ann, "left/one@bob");
    const request = { namespaceId: root.id, handle: "ann" };
    await runAs(as(bob.id), () => ci.namespaces.removeCollaborator(request));
    await expectRefusal(ann, "left/one@bob", "Namespace permission denied");
  });
});

describe("events", () => {
  test("publishes one event per created child, to its parent", async () => {
    const user = await newUser();
    const leaf = (await enter(user, "team/web/api"))!;
    await enter(user, "team/web/api");
    const events = (await ci.publishedEvents()).flatMap(({ kind, namespaceId, body }) =>
      kind === "namespaces" && body?.$case === "namespace" && body.value.namespace?.userId === user.id
        ? [{ namespaceId, action: body.value.action, path: body.value.namespace.path }]
        : [],
    );
    expect(events).toEqual([
      { namespaceId: leaf.rootId, action: "created", path: "team/web" },
      { namespaceId: leaf.parentId, action: "created", path: "team/web/api" },
    ]);
  });
});
