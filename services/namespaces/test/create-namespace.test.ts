import { runAs } from "@ci/kit/rpc/caller";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { as, namespacesSuite } from "./_suite.js";

const ci = namespacesSuite();
let ann: User;

beforeAll(async () => {
  ann = await ci.aUser("ann");
});

type Fields = { parent?: string; name: string; description?: string; visibility?: string };
const create = (user: User, fields: Fields) => runAs(as(user.id), () => ci.namespaces.createNamespace(fields));

describe("succeeds", () => {
  test("a root is private and its own root", async () => {
    const { namespace } = await create(ann, { name: "Team1", description: "all of us" });
    expect(namespace).toMatchObject({
      userId: ann.id,
      rootId: namespace!.id,
      name: "Team1",
      path: "Team1",
      description: "all of us",
      visibility: "private",
      createdAt: expect.any(Date),
    });
    expect(namespace!.parentId).toBeUndefined();
  });

  test("a child has its root's visibility, no matter what the request says", async () => {
    const { namespace: root } = await create(ann, { name: "open", visibility: "public" });
    const { namespace: child } = await create(ann, { parent: "open", name: "web", visibility: "private" });
    const { namespace: grandchild } = await create(ann, { parent: "open/web", name: "api" });
    expect(child).toMatchObject({ rootId: root!.id, parentId: root!.id, path: "open/web", visibility: "public" });
    expect(grandchild).toMatchObject({ rootId: root!.id, parentId: child!.id, path: "open/web/api" });
  });

  test("accepts the same name under another parent and for another user", async () => {
    const bob = await ci.aUser("bob");
    await create(ann, { name: "same" });
    await create(ann, { parent: "same", name: "same" });
    expect((await create(bob, { name: "same" })).namespace).toMatchObject({ userId: bob.id, path: "same" });
  });
});

describe("invalid", () => {
  test("reports every wrong field at once", async () => {
    const fields = { parent: "nowhere", name: "-".repeat(65), description: "x".repeat(256), visibility: "open" };
    await expect(create(ann, fields)).rejects.toMatchObject({
      code: "invalid",
      fields: {
        parent: ["Could not find parent"],
        name: [
          "Name cannot be longer than 64 characters in length",
          "Name can only contain letters, numbers, dots, dashes, and underscores, and begin with a letter or number",
        ],
        description: ["Description cannot be longer than 255 characters in length"],
        visibility: ["Visibility invalid visibility open"],
      },
    });
    await expect(create(ann, { name: "" })).rejects.toMatchObject({ fields: { name: ["Name field required"] } });
  });

  test("rejects a sibling's name together with other complaints", async () => {
    await create(ann, { name: "twice" });
    await create(ann, { parent: "twice", name: "child" });
    const taken = { name: ["Name already exists"] };
    await expect(create(ann, { name: "twice" })).rejects.toMatchObject({ fields: taken });
    await expect(create(ann, { parent: "twice", name: "child", visibility: "x" })).rejects.toMatchObject({
      fields: { ...taken, visibility: ["Visibility invalid visibility x"] },
    });
  });

  test("rejects a parent that is longer than any path", async () => {
    const ann = await ci.aUser();
    const refused = { fields: { parent: ["Parent cannot be longer than 1299 characters in length"] } };
    await expect(create(ann, { parent: "x".repeat(1_300), name: "a" })).rejects.toMatchObject(refused);
    await expect(create(ann, { parent: "x/".repeat(5_000), name: "a" })).rejects.toMatchObject(refused);
    const unknown = { fields: { parent: ["Could not find parent"] } };
    await expect(create(ann, { parent: "x".repeat(1_299), name: "a" })).rejects.toMatchObject(unknown);
  });

  test("rejects another user's namespace as parent, even for collaborators", async () => {
    const carl = await ci.aUser("carl");
    const root = await ci.aNamespace(ann, "anns");
    await ci.addCollaborator(carl, ann, root.id);
    await expect(create(carl, { parent: "anns", name: "child" })).rejects.toMatchObject({
      fields: { parent: ["Could not find parent"] },
    });
  });

  test("rejects a depth of more than 20", async () => {
    const name = Array(20).fill("abc").join("/");
    await runAs(as(ann.id), () => ci.namespaces.enterNamespace({ name, userId: ann.id, create: true }));
    await expect(create(ann, { parent: name, name: "abc" })).rejects.toMatchObject({
      fields: { parent: ["Parent cannot exceed depth of 20"] },
    });
    const parent = name.slice(4);
    await expect(create(ann, { parent, name: "other" })).resolves.toMatchObject({
      namespace: { path: `${parent}/other` },
    });
  });

  test("exactly one of 50 concurrent requests gets the name", async () => {
    await create(ann, { name: "race" });
    for (const parent of ["", "race"]) {
      const requests = Array.from({ length: 50 }, () => create(ann, { parent, name: "winner" }));
      const results = await Promise.allSettled(requests);
      expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      for (const result of results.filter((result) => result.status === "rejected"))
        expect(result.reason).toMatchObject({ code: "invalid", fields: { name: ["Name already exists"] } });
    }
  });
});

test("rejects a call without a caller", async () => {
  await expect(ci.namespaces.createNamespace({ name: "nobodys" })).rejects.toMatchObject({ code: "unauthenticated" });
});

describe("events", () => {
  test("publishes an event for a child to its parent's webhooks, and none for a root or a failure", async () => {
    const { namespace: root } = await create(ann, { name: "telling" });
    const { namespace: child } = await create(ann, { parent: "telling", name: "child" });
    await create(ann, { parent: "telling", name: "child" }).catch(() => {});
    const ofTree = (await ci.publishedEvents()).filter(
      ({ body }) => body?.$case === "namespace" && body.value.namespace?.rootId === root!.id,
    );
    expect(ofTree).toEqual([
      expect.objectContaining({
        kind: "namespaces",
        actorId: ann.id,
        namespaceId: root!.id,
        body: { $case: "namespace", value: { action: "created", namespace: child } },
      }),
    ]);
  });
});
