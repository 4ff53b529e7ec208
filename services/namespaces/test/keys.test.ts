import { runAs } from "@ci/kit/rpc/caller";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { eventually } from "@ci/testkit/eventually";
import { suite } from "@ci/testkit/suite";
import { bootResources, privateKey, refusal } from "./_resources.js";
import { as } from "./_suite.js";

const own = suite();
let service: Awaited<ReturnType<typeof bootResources>>;
let ada: User;
let bob: User;
let eve: User;
let nowMs = Date.now();

beforeAll(async () => {
  service = await bootResources(own, {}, { now: () => new Date(nowMs) });
});
beforeEach(async () => {
  [ada, bob, eve] = await Promise.all([service.aUser(), service.aUser(), service.aUser()]);
});
afterAll(() => service.close());

const create = async (user: User, name: string, namespace = "") =>
  (await runAs(as(user.id), () => service.keys.createKey({ name, privateKey, namespace, config: "old" }))).key!;
const get = async (user: User, id: number) => (await runAs(as(user.id), () => service.keys.getKey({ id }))).key;
const update = async (user: User, id: number, config?: string) =>
  (await runAs(as(user.id), () => service.keys.updateKey({ id, config }))).key;
const remove = (user: User, id: number) => runAs(as(user.id), () => service.keys.deleteKey({ id }));
const namesOf = async (user: User, request: { namespaceId?: number; search?: string } = {}) =>
  (await runAs(as(user.id), () => service.keys.listKeys(request))).keys.map(({ name }) => name);
const eventsOf = (id: number) =>
  service.events.filter(({ body }) => body?.$case === "key" && body.value.key?.id === id);

describe("succeeds", () => {
  test("returns one record", async () => {
    const key = await create(ada, "id");
    expect(await get(ada, key.id)).toEqual(key);
  });

  test("lists the caller's own keys and those of their namespaces, by name", async () => {
    const { id } = await service.aNamespace(bob, "bobs");
    await service.addCollaborator(ada, bob, id);
    await create(ada, "b");
    await create(ada, "a1", "mine");
    await create(bob, "B", "bobs");
    await create(eve, "hidden");
    expect(await namesOf(ada)).toEqual(["B", "a1", "b"]);
    expect(await namesOf(ada, { search: "A" })).toEqual(["a1"]);
    expect(await namesOf(ada, { namespaceId: id })).toEqual(["B"]);
  });

  test("updates the configuration", async () => {
    const key = await create(ada, "id");
    nowMs += 1_000;
    const changed = await update(ada, key.id, "new");
    expect(changed).toEqual({ ...key, config: "new", updatedAt: new Date(nowMs) });
    expect(await get(ada, key.id)).toEqual(changed);
    expect(await update(ada, key.id, "")).toMatchObject({ config: "" });
  });

  test("an empty update returns the unchanged record", async () => {
    const key = await create(ada, "id");
    expect(await update(ada, key.id)).toEqual(key);
  });

  test("lets a collaborator update and delete", async () => {
    const { id } = await service.aNamespace(bob, "bobs");
    await service.addCollaborator(ada, bob, id);
    const key = await create(bob, "id", "bobs");
    expect(await update(ada, key.id, "new")).toMatchObject({ config: "new", authorId: bob.id });
    await remove(ada, key.id);
    expect(await namesOf(bob)).toEqual([]);
  });
});

describe("not_found", () => {
  test("rejects missing and deleted records", async () => {
    const { id } = await create(ada, "id");
    await remove(ada, id);
    for (const missing of [id, 2 ** 52])
      for (const code of [get(ada, missing), update(ada, missing, "new"), remove(ada, missing)].map(refusal))
        expect(await code).toBe("not_found");
  });

  test("hides records of others, with and without a namespace", async () => {
    for (const { id, namespaceId } of [await create(ada, "id"), await create(ada, "id", "mine")]) {
      for (const code of [get(eve, id), update(eve, id, "new"), remove(eve, id)].map(refusal))
        expect(await code).toBe("not_found");
      if (namespaceId) expect(await refusal(namesOf(eve, { namespaceId }))).toBe("not_found");
    }
  });

  test("rejects updating or deleting a record the caller may only view", async () => {
    await service.aNamespace(ada, "open", "public");
    const key = await create(ada, "id", "open");
    expect(await get(eve, key.id)).toEqual(key);
    expect(await refusal(update(eve, key.id, "new"))).toBe("not_found");
    expect(await refusal(update(eve, key.id))).toBe("not_found");
    expect(await refusal(remove(eve, key.id))).toBe("not_found");
  });
});

describe("conflict", () => {
  test("a concurrent update and deletion end in a deletion", async () => {
    const { id } = await create(ada, "id");
    const [, removed] = await Promise.allSettled([update(ada, id, "new"), remove(ada, id), update(ada, id, "newer")]);
    expect(removed.status).toBe("fulfilled");
    expect(await refusal(get(ada, id))).toBe("not_found");
  });
});

describe("events", () => {
  test("publishes ssh_keys, updated and deleted, but nothing for an empty update", async () => {
    const key = await create(ada, "id", "told");
    await update(ada, key.id);
    const changed = await update(ada, key.id, "new");
    await remove(ada, key.id);
    await eventually(() => expect(eventsOf(key.id)).toHaveLength(3));
    const expected = { kind: "ssh_keys", actorId: ada.id, namespaceId: key.namespaceId };
    expect(eventsOf(key.id)).toMatchObject([
      { ...expected, body: { value: { action: "created", key } } },
      { ...expected, body: { value: { action: "updated", key: changed } } },
      { ...expected, body: { value: { action: "deleted", key: changed } } },
    ]);
  });
});
