import { randomBytes } from "node:crypto";
import { runAs } from "@ci/kit/rpc/caller";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { eventually } from "@ci/testkit/eventually";
import { suite } from "@ci/testkit/suite";
import { uploadMessages } from "@ci/testkit/uploads";
import { bootResources, refusal } from "./_resources.js";
import { as } from "./_suite.js";

const own = suite();
let service: Awaited<ReturnType<typeof bootResources>>;
let ada: User;
let bob: User;
let eve: User;

beforeAll(async () => {
  service = await bootResources(own);
});
beforeEach(async () => {
  [ada, bob, eve] = await Promise.all([service.aUser(), service.aUser(), service.aUser()]);
});
afterAll(() => service.close());

const put = async (user: User, ...args: Parameters<typeof uploadMessages>) =>
  (await runAs(as(user.id), () => service.objects.uploadObject(uploadMessages(...args)))).object!;
const get = async (userId: number | undefined, id: number) =>
  (await runAs(as(userId), () => service.objects.getObject({ id }))).object;
const remove = (user: User, id: number) => runAs(as(user.id), () => service.objects.deleteObject({ id }));
const namesOf = async (user: User, request: { namespaceId?: number; search?: string } = {}) =>
  (await runAs(as(user.id), () => service.objects.listObjects(request))).objects.map(({ name }) => name);
const read = (userId: number | undefined, request: { id: number; start?: number; end?: number }) =>
  runAs(as(userId), async () => {
    const chunks: Buffer[] = [];
    for await (const { chunk } of service.objects.readObject(request)) chunks.push(chunk);
    return Buffer.concat(chunks);
  });

describe("succeeds", () => {
  test("returns the content, whole and in part", async () => {
    const content = randomBytes(2_500_000);
    const { id } = await put(ada, "big", content);
    expect(content.equals(await read(ada.id, { id }))).toBe(true);
    for (const [start, end] of [
      [0, 0],
      [1_048_570, 1_048_580],
      [2_499_999, 2_499_999],
    ] as const)
      expect(await read(ada.id, { id, start, end })).toEqual(content.subarray(start, end + 1));
    expect(await read(ada.id, { id, start: 2_499_990 })).toEqual(content.subarray(-10));
    expect(await read(ada.id, { id, start: 2_500_000 })).toEqual(Buffer.alloc(0));
  });

  test("returns record and content to users who may view the namespace, and the content to the builds service", async () => {
    await service.aNamespace(ada, "inside", "internal");
    const object = await put(ada, "a", "text", "inside");
    const hidden = await put(ada, "a", "hidden");
    expect(await get(eve.id, object.id)).toEqual(object);
    expect(`${await read(eve.id, { id: object.id })}`).toBe("text");
    expect(`${await read(undefined, { id: hidden.id })}`).toBe("hidden");
  });

  test("lists the caller's own objects and those of their namespaces, by name", async () => {
    const { id } = await service.aNamespace(bob, "bobs");
    await service.addCollaborator(ada, bob, id);
    await put(ada, "b", "text");
    await put(ada, "a.1", "text", "mine/deep");
    await put(bob, "B", "text", "bobs/deep");
    await put(bob, "hidden", "text");
    expect(await namesOf(ada)).toEqual(["B", "a.1", "b"]);
    expect(await namesOf(ada, { search: "." })).toEqual(["a.1"]);
    expect(await namesOf(ada, { namespaceId: id })).toEqual([]);
  });

  test("a deletion removes the record and its content", async () => {
    const { id } = await service.aNamespace(bob, "bobs");
    await service.addCollaborator(ada, bob, id);
    const count = (name: string) => service.db.collection(name).estimatedDocumentCount();
    const bytes = () => Promise.all(["objects.files", "objects.chunks", "objects.uploads"].map(count));
    const before = await bytes();
    const object = await put(bob, "a", "text", "bobs");
    await remove(ada, object.id);
    expect(await bytes()).toEqual(before);
    expect(await refusal(get(bob.id, object.id))).toBe("not_found");
  });
});

describe("not_found", () => {
  test("rejects missing and deleted records", async () => {
    const { id } = await put(ada, "a", "text");
    await remove(ada, id);
    for (const missing of [id, 2 ** 52]) {
      for (const code of [get(ada.id, missing), read(ada.id, { id: missing }), remove(ada, missing)].map(refusal))
        expect(await code).toBe("not_found");
      expect(await refusal(read(undefined, { id: missing }))).toBe("not_found");
    }
  });

  test("hides records of others, with and without a namespace", async () => {
    for (const { id, namespaceId } of [await put(ada, "a", "text"), await put(ada, "a", "text", "mine")]) {
      for (const code of [get(eve.id, id), read(eve.id, { id }), remove(eve, id)].map(refusal))
        expect(await code).toBe("not_found");
      if (namespaceId) expect(await refusal(namesOf(eve, { namespaceId }))).toBe("not_found");
      expect(`${await read(ada.id, { id })}`).toBe("text");
    }
  });

  test("rejects deleting a record the caller may only view", async () => {
    await service.aNamespace(ada, "open", "public");
    const { id } = await put(ada, "a", "text", "open");
    expect(await refusal(remove(eve, id))).toBe("not_found");
    expect(`${await read(ada.id, { id })}`).toBe("text");
  });

  test("rejects looking, deleting and listing without a user", async () => {
    const { id } = await put(ada, "a", "text");
    expect(await refusal(get(undefined, id))).toBe("unauthenticated");
    expect(await refusal(runAs(as(undefined), () => service.objects.deleteObject({ id })))).toBe("unauthenticated");
    expect(await refusal(runAs(as(undefined), () => service.objects.listObjects({})))).toBe("unauthenticated");
  });
});

describe("events", () => {
  test("publishes objects, deleted, with the last record", async () => {
    const object = await put(ada, "a", "text", "told");
    await remove(ada, object.id);
    const events = () =>
      service.events.filter(({ body }) => body?.$case === "object" && body.value.object?.id === object.id);
    await eventually(() => expect(events()).toHaveLength(2));
    expect(events()[1]).toMatchObject({
      kind: "objects",
      actorId: ada.id,
      namespaceId: object.namespaceId,
      body: { value: { action: "deleted", object } },
    });
  });
});
