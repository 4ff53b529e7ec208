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

type Fields = { id: number; description?: string; visibility?: string };
const update = async (user: User, fields: Fields) =>
  (await runAs(as(user.id), () => ci.namespaces.updateNamespace(fields))).namespace;
const get = async (user: User, path: string) =>
  (await runAs(as(user.id), () => ci.namespaces.getNamespace({ username: "ann", path }))).namespace;

describe("succeeds", () => {
  test("changes the visibility of a whole tree at once", async () => {
    const root = await ci.aNamespace(ann, "tree");
    await ci.aNamespace(ann, "tree/web");
    await expect(get(bob, "tree/web")).rejects.toMatchObject({ code: "not_found" });
    expect(await update(ann, { id: root.id, visibility: "internal" })).toEqual({ ...root, visibility: "internal" });
    expect(await get(bob, "tree/web")).toMatchObject({ visibility: "internal" });
    await update(ann, { id: root.id, visibility: "private" });
    await expect(get(bob, "tree/web")).rejects.toMatchObject({ code: "not_found" });
  });

  test("keeps omitted and empty fields, but an empty description clears it", async () => {
    const root = await ci.aNamespace(ann, "keep", "public");
    expect(await update(ann, { id: root.id, description: "told", visibility: "" })).toMatchObject({
      description: "told",
      visibility: "public",
    });
    expect(await update(ann, { id: root.id })).toMatchObject({ description: "told", visibility: "public" });
    expect(await update(ann, { id: root.id, description: "" })).toMatchObject({ description: "" });
  });

  test("ignores the visibility of a child", async () => {
    await ci.aNamespace(ann, "fixed");
    const child = await ci.aNamespace(ann, "fixed/web");
    expect(await update(ann, { id: child.id, description: "web", visibility: "public" })).toEqual({
      ...child,
      description: "web",
    });
    expect(await get(ann, "fixed/web")).toEqual({ ...child, description: "web" });
  });
});

describe("invalid", () => {
  test("reports both wrong fields at once", async () => {
    const root = await ci.aNamespace(ann, "strict");
    const fields = { id: root.id, description: "x".repeat(256), visibility: "all" };
    await expect(update(ann, fields)).rejects.toMatchObject({
      code: "invalid",
      fields: {
        description: ["Description cannot be longer than 255 characters in length"],
        visibility: ["Visibility invalid visibility all"],
      },
    });
  });
});

describe("not_found", () => {
  test("rejects all but the owner before it checks any field", async () => {
    const root = await ci.aNamespace(ann, "owned", "public");
    await ci.addCollaborator(bob, ann, root.id);
    const notFound = { code: "not_found" };
    await expect(update(bob, { id: root.id, visibility: "all" })).rejects.toMatchObject(notFound);
    await expect(update(await ci.aUser(), { id: root.id, description: "mine" })).rejects.toMatchObject(notFound);
    await expect(update(ann, { id: 999_999 })).rejects.toMatchObject(notFound);
    expect(await get(ann, "owned")).toEqual(root);
  });
});

describe("conflict", () => {
  test("concurrent updates all take effect, and each event has the result of its own update", async () => {
    const root = await ci.aNamespace(ann, "busy");
    const texts = Array.from({ length: 10 }, (_, index) => `text ${index}`);
    await Promise.all(
      texts.map((description, index) =>
        update(ann, { id: root.id, description, ...(index % 2 ? { visibility: "public" } : {}) }),
      ),
    );
    const updates = (await ci.publishedEvents()).flatMap(({ body }) =>
      body?.$case === "namespace" && body.value.namespace?.id === root.id ? [body.value.namespace] : [],
    );
    expect(updates.map(({ description }) => description).sort()).toEqual(texts);
    expect(updates.at(-1)).toEqual(await get(ann, "busy"));
    // No update made it private again, so it stays public.
    const levels = updates.map(({ visibility }) => visibility);
    expect(levels.slice(levels.indexOf("public"))).not.toContain("private");
  });
});

describe("events", () => {
  test("publishes one event to the namespace's own webhooks", async () => {
    await ci.aNamespace(ann, "telling");
    const child = await ci.aNamespace(ann, "telling/child");
    const updated = await update(ann, { id: child.id, description: "news" });
    const updates = (await ci.publishedEvents()).filter(({ namespaceId }) => namespaceId === child.id);
    expect(updates).toEqual([
      expect.objectContaining({
        kind: "namespaces",
        actorId: ann.id,
        body: { $case: "namespace", value: { action: "updated", namespace: updated } },
      }),
    ]);
  });
});
