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

/** A user of their own, so that a test sees everything that was made. */
const alone = async () => ci.aUser();

describe("answers", () => {
  test("what exists, without making anything", async () => {
    const user = await alone();
    const root = await ci.aNamespace(user, "team", "internal");
    expect(await enter(user, "team")).toEqual(root);
    expect(await enter(user, `team@${user.username.toUpperCase()}`)).toEqual(root);
    expect(await paths(user)).toEqual(["team"]);
  });

  test("nothing when it does not exist and is not to be made", async () => {
    const user = await alone();
    expect(await enter(user, "team/web", false)).toBeUndefined();
    expect(await paths(user)).toEqual([]);
  });

  test("missing elements made, private at the root", async () => {
    const user = await alone();
    const made = await enter(user, "team/web/api");
    expect(made).toMatchObject({ userId: user.id, path: "team/web/api", name: "api", visibility: "private" });
    expect(await paths(user)).toEqual(["team", "team/web", "team/web/api"]);
    expect(await enter(user, "team/web/api")).toEqual(made);
  });

  test("elements below a root inherit its visibility", async () => {
    const user = await alone();
    await ci.aNamespace(user, "open", "public");
    expect(await enter(user, "open/web")).toMatchObject({ visibility: "public" });
  });

  test("a collaborator's descendants belong to the owner", async () => {
    const [owner, guest] = [await alone(), await alone()];
    const root = await ci.aNamespace(owner, "team");
    await ci.joins(guest, owner, root.id);
    expect(await enter(guest, `team/web@${owner.username}`)).toMatchObject({ userId: owner.id, rootId: root.id });
    expect(await paths(owner)).toEqual(["team", "team/web"]);
  });

  test("the same to 50 who make it at once", async () => {
    const user = await alone();
    const entered = await Promise.all(Array.from({ length: 50 }, () => enter(user, "team/web/api")));
    expect(new Set(entered.map((namespace) => namespace!.id)).size).toBe(1);
    expect(await paths(user)).toEqual(["team", "team/web", "team/web/api"]);
  });

  test("a new one where a deleted one was", async () => {
    const user = await alone();
    const before = await enter(user, "team/web");
    await runAs(as(user.id), () => ci.namespaces.deleteNamespace({ id: before!.rootId }));
    const after = await enter(user, "team/web");
    expect(after!.id).toBeGreaterThan(before!.id);
    expect(await paths(user)).toEqual(["team", "team/web"]);
  });
});

describe("invalid", () => {
  const refused = (user: User, name: string, ...namespace: string[]) =>
    expect(enter(user, name)).rejects.toMatchObject({ code: "invalid", fields: { namespace } });
  const characters =
    "Namespace name can only contain letters, numbers, dots, dashes, and underscores, and begin with a letter or number";
  const length = "Namespace name cannot be longer than 64 characters in length";

  test("malformed names, everything at once, and nothing is made", async () => {
    const user = await alone();
    await refused(user, "good/-d", characters);
    await refused(user, `good/${"a".repeat(65)}`, length);
    await refused(user, Array(21).fill("abc").join("/"), "Namespace cannot exceed depth of 20");
    await refused(user, `_${"a".repeat(64)}@nobody`, characters, length, "Namespace invalid owner");
    expect(await paths(user)).toEqual([]);
  });

  test("an owner who does not exist, or no more", async () => {
    const gone = await alone();
    await runAs(await ci.anAdmin(), () => ci.accounts.deleteUser({ username: gone.username }));
    await refused(ann, "team@nobody", "Namespace invalid owner");
    await refused(ann, "team@", "Namespace invalid owner");
    await refused(ann, `team@${gone.username}`, "Namespace invalid owner");
  });

  test("another user's tree for a non-member, whether it exists or not, and creates nothing", async () => {
    await ci.aNamespace(bob, "bobs", "public");
    const before = await paths(bob);
    await refused(ann, "bobs@bob", "Namespace permission denied");
    await refused(ann, "bobs/web@bob", "Namespace permission denied");
    await refused(ann, "newroot@bob", "Namespace permission denied");
    await expect(enter(ann, "bobs@bob", false)).rejects.toMatchObject({ code: "invalid" });
    expect(await paths(bob)).toEqual(before);
  });

  test("a tree of which one is a member no more", async () => {
    const root = await ci.aNamespace(bob, "left");
    await ci.joins(ann, bob, root.id);
    await enter(ann, "left/one@bob");
    const ask = { namespaceId: root.id, handle: "ann" };
    await runAs(as(bob.id), () => ci.namespaces.removeCollaborator(ask));
    await refused(ann, "left/one@bob", "Namespace permission denied");
  });
});

describe("events", () => {
  test("one for each child made, to its parent", async () => {
    const user = await alone();
    const leaf = (await enter(user, "team/web/api"))!;
    await enter(user, "team/web/api");
    const told = (await ci.told()).flatMap(({ kind, namespaceId, body }) =>
      kind === "namespaces" && body?.$case === "namespace" && body.value.namespace?.userId === user.id
        ? [{ namespaceId, action: body.value.action, path: body.value.namespace.path }]
        : [],
    );
    expect(told).toEqual([
      { namespaceId: leaf.rootId, action: "created", path: "team/web" },
      { namespaceId: leaf.parentId, action: "created", path: "team/web/api" },
    ]);
  });
});
