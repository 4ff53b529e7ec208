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

type Ask = { id: number; description?: string; visibility?: string };
const update = async (user: User, ask: Ask) =>
  (await runAs(as(user.id), () => ci.namespaces.updateNamespace(ask))).namespace;
const get = async (user: User, path: string) =>
  (await runAs(as(user.id), () => ci.namespaces.getNamespace({ username: "ann", path }))).namespace;

describe("answers", () => {
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
    const ask = { id: root.id, description: "x".repeat(256), visibility: "all" };
    await expect(update(ann, ask)).rejects.toMatchObject({
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
    await ci.joins(bob, ann, root.id);
    const refused = { code: "not_found" };
    await expect(update(bob, { id: root.id, visibility: "all" })).rejects.toMatchObject(refused);
    await expect(update(await ci.aUser(), { id: root.id, description: "mine" })).rejects.toMatchObject(refused);
    await expect(update(ann, { id: 999_999 })).rejects.toMatchObject(refused);
    expect(await get(ann, "owned")).toEqual(root);
  });
});

describe("conflict", () => {
  test("all concurrent updates happen, and each event shows the result of its own", async () => {
    const root = await ci.aNamespace(ann, "busy");
    const texts = Array.from({ length: 10 }, (_, index) => `text ${index}`);
    await Promise.all(
      texts.map((description, index) =>
        update(ann, { id: root.id, description, ...(index % 2 ? { visibility: "public" } : {}) }),
      ),
    );
    const told = (await ci.told()).flatMap(({ body }) =>
      body?.$case === "namespace" && body.value.namespace?.id === root.id ? [body.value.namespace] : [],
    );
    expect(told.map(({ description }) => description).sort()).toEqual(texts);
    expect(told.at(-1)).toEqual(await get(ann, "busy"));
    // No update made it private again, so it stays public.
    const levels = told.map(({ visibility }) => visibility);
    expect(levels.slice(levels.indexOf("public"))).not.toContain("private");
  });
});

describe("events", () => {
  test("publishes one to its own webhooks", async () => {
    await ci.aNamespace(ann, "telling");
    const child = await ci.aNamespace(ann, "telling/child");
    const updated = await update(ann, { id: child.id, description: "news" });
    const told = (await ci.told()).filter(({ namespaceId }) => namespaceId === child.id);
    expect(told).toEqual([
      expect.objectContaining({
        kind: "namespaces",
        actorId: ann.id,
        body: { $case: "namespace", value: { action: "updated", namespace: updated } },
      }),
    ]);
  });
});
