import { createHash, randomBytes } from "node:crypto";
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

const put = async (user: User, ...what: Parameters<typeof uploadMessages>) =>
  (await runAs(as(user.id), () => service.objects.uploadObject(uploadMessages(...what)))).object!;
const refused = (user: User, ...what: Parameters<typeof uploadMessages>) => refusal(put(user, ...what));
const hash = (algorithm: string, content: Buffer) => createHash(algorithm).update(content).digest("hex");

/** How much there is of everything an upload leaves behind. */
const traces = async () => {
  const count = (name: string) => service.db.collection(name).estimatedDocumentCount();
  const names = ["objects", "objects.files", "objects.chunks", "objects.uploads", "namespaces"];
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await count(name)])));
};

describe("answers", () => {
  test("the record, with what was found in the content", async () => {
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

  test("the type by the content, however it is cut", async () => {
    const object = await put(ada, "page", Buffer.from("<!DOCTYPE html><p>\0"), "", 1);
    expect(object).toMatchObject({ type: "text/html", size: 19 });
  });

  test("content of just the limit", async () => {
    expect(await put(ada, "big", Buffer.alloc(limitBytes))).toMatchObject({ size: limitBytes });
  });

  test("a record in a namespace of the caller's that is made for it", async () => {
    const object = await put(ada, "a", "text", "fresh/child");
    const { namespace } = await runAs(as(ada.id), () =>
      service.namespaces.getNamespace({ username: ada.username, path: "fresh/child", anonymous: false }),
    );
    expect(object).toMatchObject({ userId: ada.id, authorId: ada.id, namespaceId: namespace!.id });
  });

  test("the owner of somebody else's namespace as user, the collaborator as author", async () => {
    const bob = await service.aUser();
    const root = await service.aNamespace(bob, "bobs");
    await service.joins(ada, bob, root.id);
    const object = await put(ada, "a", "text", `bobs@${bob.username}`);
    expect(object).toMatchObject({ userId: bob.id, authorId: ada.id, namespaceId: root.id });
  });

  test("the same name in every scope, and again after deletion", async () => {
    const { id } = await put(ada, "same", "1");
    await put(ada, "same", "2", "first");
    await put(ada, "same", "3", "second");
    await put(await service.aUser(), "same", "4");
    await runAs(as(ada.id), () => service.objects.deleteObject({ id }));
    await put(ada, "same", "5");
  });
});

describe("invalid", () => {
  test("every field at once, and nothing is made", async () => {
    const before = await traces();
    expect(await refused(ada, "", "", "-b")).toEqual({
      namespace: [
        "Namespace name can only contain letters, numbers, dots, dashes, and underscores, and begin with a letter or number",
      ],
      name: ["Name field required"],
      file: ["File field required"],
    });
    expect(await refused(ada, "é", "", "fresh")).toEqual({
      name: ["Name can only contain letters, numbers, dots, dashes, and underscores"],
      file: ["File field required"],
    });
    expect(await traces()).toEqual(before);
  });

  test("a name that is taken, with and without namespace", async () => {
    await put(ada, "a", "1");
    await put(ada, "a", "1", "mine");
    expect(await refused(ada, "a", "2")).toEqual({ name: ["Name already exists"] });
    expect(await refused(ada, "a", "2", "mine")).toEqual({ name: ["Name already exists"] });
  });

  test("content over the limit, and nothing of it stays", async () => {
    const before = await traces();
    const message = "file too large, cannot exceed 5 MB";
    expect(await refused(ada, "big", Buffer.alloc(limitBytes + 1), "fresh")).toEqual({ file: [message] });
    expect(await refused(ada, "big", Buffer.alloc(4 * limitBytes), "fresh")).toEqual({ file: [message] });
    expect(await traces()).toEqual(before);
  });

  test("a wrong name, told to a sender who would never end", async () => {
    async function* endless() {
      yield { part: { $case: "header" as const, value: { name: "a b", namespace: "" } } };
      for (;;) yield { part: { $case: "chunk" as const, value: Buffer.alloc(1024) } };
    }
    const name = ["Name can only contain letters, numbers, dots, dashes, and underscores"];
    expect(await refusal(runAs(as(ada.id), () => service.objects.uploadObject(endless())))).toEqual({ name });
  });

  test("a namespace the caller may not write in", async () => {
    const bob = await service.aUser();
    await service.aNamespace(bob, "open", "public");
    const denied = { namespace: ["Namespace permission denied"] };
    expect(await refused(ada, "a", "text", `open@${bob.username}`)).toEqual(denied);
    expect(await refused(ada, "a", "text", `none@${bob.username}`)).toEqual(denied);
    expect(await refused(ada, "a", "text", "mine@nobody")).toEqual({ namespace: ["Namespace invalid owner"] });
  });

  test("bytes before the header", async () => {
    async function* headless() {
      yield { part: { $case: "chunk" as const, value: Buffer.from("a") } };
    }
    const call = runAs(as(ada.id), () => service.objects.uploadObject(headless()));
    await expect(call).rejects.toMatchObject({ code: "invalid", message: "The header comes first" });
  });

  test("a caller without user", async () => {
    const call = runAs(as(undefined), () => service.objects.uploadObject(uploadMessages("a", "text")));
    expect(await refusal(call)).toBe("unauthenticated");
  });
});

describe("conflict", () => {
  test("of fifty at the same time one wins, and of the others nothing stays", async () => {
    const before = await traces();
    const one = async (i: number) => put(ada, "raced", `content ${i}`, "raced").catch((error) => error.fields);
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => one(i)));
    const [winner, ...more] = answers.filter((answer) => answer.id !== undefined);
    expect(more).toEqual([]);
    const losers = answers.filter((answer) => answer !== winner);
    expect(losers).toEqual(Array(49).fill({ name: ["Name already exists"] }));
    const one_more = (name: string) => (before[name] ?? 0) + 1;
    expect(await traces()).toEqual({
      ...before,
      objects: one_more("objects"),
      "objects.files": one_more("objects.files"),
      "objects.chunks": one_more("objects.chunks"),
      namespaces: one_more("namespaces"),
    });
    await eventually(() => expect(createdOf(winner.id)).toHaveLength(1));
    expect(
      service.events.filter(({ body }) => body?.$case === "object" && body.value.object?.name === "raced"),
    ).toHaveLength(1);
  });

  test("a sender who gives up leaves nothing", async () => {
    const before = await traces();
    const giveUp = new AbortController();
    async function* begun() {
      yield { part: { $case: "header" as const, value: { name: "half", namespace: "" } } };
      yield { part: { $case: "chunk" as const, value: Buffer.alloc(1024 * 1024) } };
      await eventually(async () => expect((await traces())["objects.chunks"]).toBe(before["objects.chunks"]! + 1));
      giveUp.abort();
      await new Promise(() => {});
    }
    const call = runAs(as(ada.id), () => service.objects.uploadObject(begun(), { signal: giveUp.signal }));
    await expect(call).rejects.toThrow();
    await eventually(async () => expect(await traces()).toEqual(before));
  });
});

const createdOf = (id: number) =>
  service.events.filter(({ body }) => body?.$case === "object" && body.value.object?.id === id);

describe("events", () => {
  test("objects, created, in the namespace of the record", async () => {
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

  test("without namespace, one that goes to no webhook", async () => {
    const { id } = await put(ada, "told", "text");
    await eventually(() => expect(createdOf(id)).toMatchObject([{ kind: "objects", namespaceId: undefined }]));
  });
});
