import { createHash, randomBytes } from "node:crypto";
import { sendUpload } from "@ci/kit/bytes/upload";
import { runAs } from "@ci/kit/rpc/caller";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { eventually } from "@ci/testkit/eventually";
import { suite } from "@ci/testkit/suite";
import { uploadMessages } from "@ci/testkit/uploads";
import { bootResources, refusal } from "./_resources.js";
import { as } from "./_suite.js";

const own = suite();
const limitBytes = 5 * 1024 * 1024;
let service: Awaited<ReturnType<typeof bootResources>>;
let ada: User;

beforeAll(async () => {
  service = await bootResources(own);
});
beforeEach(async () => {
  ada = await service.aUser();
});
afterAll(() => service.close());

const put = async (user: User, ...args: Parameters<typeof uploadMessages>) =>
  (await runAs(as(user.id), () => service.objects.uploadObject(uploadMessages(...args)))).object!;
const refusalOf = (user: User, ...args: Parameters<typeof uploadMessages>) => refusal(put(user, ...args));
const hash = (algorithm: string, content: Buffer) => createHash(algorithm).update(content).digest("hex");

/** Counts everything that an upload stores. The relay removes deleted records later. */
const storedCounts = async () => {
  const lasting = { deletedAt: { $exists: false } };
  const count = (name: string) => service.db.collection(name).countDocuments(lasting, { hint: "_id_" });
  const names = ["objects", "objects.files", "objects.chunks", "objects.uploads", "namespaces"];
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await count(name)])));
};

describe("succeeds", () => {
  test("returns the record with size, type and hashes of the content", async () => {
    const content = randomBytes(2_500_000);
    content.set([0x1f, 0x8b, 0x08]);
    const object = await put(ada, "a.tgz", content);
    expect(object).toEqual({
      id: expect.any(Number),
      authorId: ada.id,
      userId: ada.id,
      namespaceId: undefined,
      name: "a.tgz",
      type: "application/x-gzip",
      size: 2_500_000,
      md5: hash("md5", content),
      sha256: hash("sha256", content),
      createdAt: expect.any(Date),
    });
  });

  test("detects the type, in chunks of any size", async () => {
    const object = await put(ada, "page", Buffer.from("<!DOCTYPE html><p>\0"), "", 1);
    expect(object).toMatchObject({ type: "text/html", size: 19 });
  });

  test("accepts content exactly at the limit", async () => {
    expect(await put(ada, "big", Buffer.alloc(limitBytes))).toMatchObject({ size: limitBytes });
  });

  test("creates a missing namespace of the caller", async () => {
    const object = await put(ada, "a", "text", "fresh/child");
    const { namespace } = await runAs(as(ada.id), () =>
      service.namespaces.getNamespace({ username: ada.username, path: "fresh/child", anonymous: false }),
    );
    expect(object).toMatchObject({ userId: ada.id, authorId: ada.id, namespaceId: namespace!.id });
  });

  test("an object in another user's namespace has its owner as user and the collaborator as author", async () => {
    const bob = await service.aUser();
    const root = await service.aNamespace(bob, "bobs");
    await service.addCollaborator(ada, bob, root.id);
    const object = await put(ada, "a", "text", `bobs@${bob.username}`);
    expect(object).toMatchObject({ userId: bob.id, authorId: ada.id, namespaceId: root.id });
  });

  test("accepts the same name in every scope, and again after deletion", async () => {
    const { id } = await put(ada, "same", "1");
    await put(ada, "same", "2", "first");
    await put(ada, "same", "3", "second");
    await put(await service.aUser(), "same", "4");
    await runAs(as(ada.id), () => service.objects.deleteObject({ id }));
    await put(ada, "same", "5");
  });
});

describe("invalid", () => {
  test("reports every wrong field at once and creates nothing", async () => {
    const before = await storedCounts();
    expect(await refusalOf(ada, "", "", "-b")).toEqual({
      namespace: [
        "Namespace name can only contain letters, numbers, dots, dashes, and underscores, and begin with a letter or number",
      ],
      name: ["Name field required"],
      file: ["File field required"],
    });
    expect(await refusalOf(ada, "é", "", "fresh")).toEqual({
      name: ["Name can only contain letters, numbers, dots, dashes, and underscores"],
      file: ["File field required"],
    });
    expect(await storedCounts()).toEqual(before);
  });

  test("rejects a taken name, with and without a namespace", async () => {
    await put(ada, "a", "1");
    await put(ada, "a", "1", "mine");
    expect(await refusalOf(ada, "a", "2")).toEqual({ name: ["Name already exists"] });
    expect(await refusalOf(ada, "a", "2", "mine")).toEqual({ name: ["Name already exists"] });
  });

  test("rejects content above the limit and removes it", async () => {
    const before = await storedCounts();
    const message = "file too large, cannot exceed 5 MB";
    expect(await refusalOf(ada, "big", Buffer.alloc(limitBytes + 1), "fresh")).toEqual({ file: [message] });
    expect(await refusalOf(ada, "big", Buffer.alloc(4 * limitBytes), "fresh")).toEqual({ file: [message] });
    expect(await storedCounts()).toEqual(before);
  });

  test("rejects a wrong name while the sender is still sending", async () => {
    async function* endless() {
      yield { part: { $case: "header" as const, value: { name: "a b", namespace: "" } } };
      for (;;) yield { part: { $case: "chunk" as const, value: Buffer.alloc(1024) } };
    }
    const name = ["Name can only contain letters, numbers, dots, dashes, and underscores"];
    expect(await refusal(runAs(as(ada.id), () => service.objects.uploadObject(endless())))).toEqual({ name });
  });

  test("rejects a namespace that the caller may not write to", async () => {
    const bob = await service.aUser();
    await service.aNamespace(bob, "open", "public");
    const denied = { namespace: ["Namespace permission denied"] };
    expect(await refusalOf(ada, "a", "text", `open@${bob.username}`)).toEqual(denied);
    expect(await refusalOf(ada, "a", "text", `none@${bob.username}`)).toEqual(denied);
    expect(await refusalOf(ada, "a", "text", "mine@nobody")).toEqual({ namespace: ["Namespace invalid owner"] });
  });

  test("rejects content before the header", async () => {
    async function* headless() {
      yield { part: { $case: "chunk" as const, value: Buffer.from("a") } };
    }
    const call = runAs(as(ada.id), () => service.objects.uploadObject(headless()));
    await expect(call).rejects.toMatchObject({ code: "invalid", message: "The header comes first" });
  });

  test("rejects a caller without a user", async () => {
    const call = runAs(as(undefined), () => service.objects.uploadObject(uploadMessages("a", "text")));
    expect(await refusal(call)).toBe("unauthenticated");
  });
});

describe("conflict", () => {
  test("exactly one of fifty concurrent uploads gets the name, and the others leave nothing", async () => {
    const before = await storedCounts();
    const attempt = async (i: number) => put(ada, "raced", `content ${i}`, "raced").catch((error) => error.fields);
    const results = await Promise.all(Array.from({ length: 50 }, (_, i) => attempt(i)));
    const [winner, ...more] = results.filter((result) => result.id !== undefined);
    expect(more).toEqual([]);
    const losers = results.filter((result) => result !== winner);
    expect(losers).toEqual(Array(49).fill({ name: ["Name already exists"] }));
    const plusOne = (name: string) => (before[name] ?? 0) + 1;
    expect(await storedCounts()).toEqual({
      ...before,
      objects: plusOne("objects"),
      "objects.files": plusOne("objects.files"),
      "objects.chunks": plusOne("objects.chunks"),
      namespaces: plusOne("namespaces"),
    });
    await eventually(() => expect(createdOf(winner.id)).toHaveLength(1));
    expect(
      service.events.filter(({ body }) => body?.$case === "object" && body.value.object?.name === "raced"),
    ).toHaveLength(1);
  });

  test("an upload whose user loses the namespace meanwhile leaves nothing", async () => {
    const bob = await service.aUser();
    const root = await service.aNamespace(bob, "lost");
    await service.addCollaborator(ada, bob, root.id);
    const before = await storedCounts();
    async function* content() {
      yield Buffer.alloc(1024 * 1024);
      await eventually(async () =>
        expect((await storedCounts())["objects.chunks"]).toBe(before["objects.chunks"]! + 1),
      );
      const gone = { namespaceId: root.id, handle: ada.username };
      await runAs(as(bob.id), () => service.namespaces.removeCollaborator(gone));
    }
    const messages = sendUpload({ name: "late", namespace: `lost@${bob.username}` }, content());
    const call = runAs(as(ada.id), () => service.objects.uploadObject(messages));
    expect(await refusal(call)).toEqual({ namespace: ["Namespace permission denied"] });
    expect(await storedCounts()).toEqual(before);
  });

  test("a cancelled upload leaves nothing", async () => {
    const before = await storedCounts();
    const abort = new AbortController();
    async function* stalledUpload() {
      yield { part: { $case: "header" as const, value: { name: "half", namespace: "" } } };
      yield { part: { $case: "chunk" as const, value: Buffer.alloc(1024 * 1024) } };
      await eventually(async () =>
        expect((await storedCounts())["objects.chunks"]).toBe(before["objects.chunks"]! + 1),
      );
      abort.abort();
      await new Promise(() => {});
    }
    const call = runAs(as(ada.id), () => service.objects.uploadObject(stalledUpload(), { signal: abort.signal }));
    await expect(call).rejects.toThrow();
    await eventually(async () => expect(await storedCounts()).toEqual(before));
  });
});

const createdOf = (id: number) =>
  service.events.filter(({ body }) => body?.$case === "object" && body.value.object?.id === id);

describe("events", () => {
  test("publishes objects, created, in the object's namespace", async () => {
    const object = await put(ada, "told", "text", "told");
    const [event] = await eventually(() => {
      const found = createdOf(object.id);
      expect(found).toHaveLength(1);
      return found;
    });
    expect(event).toMatchObject({
      kind: "objects",
      actorId: ada.id,
      namespaceId: object.namespaceId,
      at: object.createdAt,
      body: { $case: "object", value: { action: "created", object } },
    });
  });

  test("publishes no namespace for an object without one", async () => {
    const { id } = await put(ada, "told", "text");
    await eventually(() => expect(createdOf(id)).toMatchObject([{ kind: "objects", namespaceId: undefined }]));
  });
});
