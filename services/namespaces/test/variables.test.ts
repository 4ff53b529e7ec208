import { runAs } from "@ci/kit/rpc/caller";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { eventually } from "@ci/testkit/eventually";
import { suite } from "@ci/testkit/suite";
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

const create = async (user: User, key: string, namespace = "", mask = false) =>
  (await runAs(as(user.id), () => service.variables.createVariable({ key, value: `value of ${key}`, namespace, mask })))
    .variable!;
const get = (user: User, id: number) => runAs(as(user.id), () => service.variables.getVariable({ id }));
const remove = (user: User, id: number) => runAs(as(user.id), () => service.variables.deleteVariable({ id }));
const list = (user: User, filter: { namespaceId?: number; search?: string; number?: number } = {}) =>
  runAs(as(user.id), () => service.variables.listVariables({ ...filter, page: { number: filter.number ?? 0 } }));
const keysOf = async (...args: Parameters<typeof list>) => (await list(...args)).variables.map(({ key }) => key);

describe("succeeds", () => {
  test("returns one record, never with a masked value", async () => {
    const open = await create(ada, "OPEN");
    const masked = await create(ada, "MASKED", "", true);
    expect(await get(ada, open.id)).toEqual({ variable: { ...open, value: "value of OPEN" } });
    expect(await get(ada, masked.id)).toEqual({ variable: { ...masked, value: "xxxxxx" } });
  });

  test("returns an internal namespace's variable to every user", async () => {
    const { id } = await service.aNamespace(ada, "inside", "internal");
    const variable = await create(ada, "A", "inside");
    expect(await get(eve, variable.id)).toEqual({ variable });
    expect(await keysOf(eve, { namespaceId: id })).toEqual(["A"]);
  });

  test("lists the caller's own variables and those of their namespaces, by key", async () => {
    const joined = await service.aNamespace(bob, "bobs");
    await service.aNamespace(bob, "others");
    await service.addCollaborator(ada, bob, joined.id);
    for (const [user, key, namespace] of [
      [ada, "b", ""],
      [ada, "_", "mine/deep"],
      [bob, "B", "bobs"],
      [bob, "a", "bobs/deep"],
      [bob, "hidden", ""],
      [bob, "hidden", "others"],
      [eve, "hidden", "eves"],
      [ada, "Z", "mine"],
    ] as const)
      await create(user, key, namespace);
    await runAs(as(eve.id), () => service.namespaces.createNamespace({ name: "open", visibility: "public" }));
    await create(eve, "hidden", "open");
    expect(await keysOf(ada)).toEqual(["B", "Z", "_", "a", "b"]);
    expect(await keysOf(ada, { namespaceId: joined.id })).toEqual(["B"]);
  });

  test("lists pages of 25", async () => {
    const keys = Array.from({ length: 27 }, (_, i) => `K${String(i).padStart(2, "0")}`);
    for (const key of keys) await create(ada, key);
    expect((await list(ada)).page).toEqual({ hasNext: true, lastPage: undefined });
    expect(await keysOf(ada)).toEqual(keys.slice(0, 25));
    expect(await keysOf(ada, { number: 2 })).toEqual(keys.slice(25));
    expect(await list(ada, { number: 9 })).toEqual({ variables: [], page: { hasNext: false, lastPage: 2 } });
  });

  test("searches for part of a key, ignoring case", async () => {
    for (const key of ["ab", "xAB_", "b", "a_b"]) await create(ada, key);
    expect(await keysOf(ada, { search: "Ab" })).toEqual(["ab", "xAB_"]);
    expect(await keysOf(ada, { search: "a.b" })).toEqual([]);
    expect(await keysOf(ada, { search: "_" })).toEqual(["a_b", "xAB_"]);
  });

  test("a deletion removes the record and frees its key", async () => {
    const { id } = await create(ada, "A");
    await remove(ada, id);
    expect(await refusal(get(ada, id))).toBe("not_found");
    expect(await keysOf(ada)).toEqual([]);
    await create(ada, "A");
  });

  test("lets a collaborator delete", async () => {
    const { id } = await service.aNamespace(bob, "bobs");
    await service.addCollaborator(ada, bob, id);
    await remove(ada, (await create(bob, "A", "bobs")).id);
    expect(await keysOf(bob)).toEqual([]);
  });
});

describe("not_found", () => {
  test("rejects missing records", async () => {
    expect(await refusal(get(ada, 2 ** 52))).toBe("not_found");
    expect(await refusal(remove(ada, 2 ** 52))).toBe("not_found");
    expect(await refusal(list(ada, { namespaceId: 2 ** 52 }))).toBe("not_found");
  });

  test("hides another user's own variables", async () => {
    const { id } = await create(ada, "A");
    expect(await refusal(get(eve, id))).toBe("not_found");
    expect(await refusal(remove(eve, id))).toBe("not_found");
  });

  test("hides variables of others' private namespaces", async () => {
    const variable = await create(ada, "A", "mine");
    expect(await refusal(get(eve, variable.id))).toBe("not_found");
    expect(await refusal(remove(eve, variable.id))).toBe("not_found");
    expect(await refusal(list(eve, { namespaceId: variable.namespaceId }))).toBe("not_found");
  });

  test("rejects deleting a variable the caller may only view", async () => {
    await service.aNamespace(ada, "open", "public");
    const { id } = await create(ada, "A", "open");
    expect(await refusal(remove(eve, id))).toBe("not_found");
    expect(await keysOf(ada)).toEqual(["A"]);
  });

  test("rejects a caller without a user", async () => {
    const { id } = await create(ada, "A");
    expect(await refusal(runAs(as(undefined), () => service.variables.getVariable({ id })))).toBe("unauthenticated");
  });
});

describe("conflict", () => {
  test("exactly one of many concurrent deletions succeeds", async () => {
    const { id } = await create(ada, "A");
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => remove(ada, id)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });
});

describe("events", () => {
  test("publishes variables, deleted, once, with the last record", async () => {
    const variable = await create(ada, "A", "told", true);
    await Promise.allSettled(Array.from({ length: 5 }, () => remove(ada, variable.id)));
    const events = () =>
      service.events.filter(({ body }) => body?.$case === "variable" && body.value.variable?.id === variable.id);
    await eventually(() => expect(events()).toHaveLength(2));
    expect(events()[1]).toMatchObject({
      kind: "variables",
      actorId: ada.id,
      namespaceId: variable.namespaceId,
      body: { value: { action: "deleted", variable: { ...variable, value: "xxxxxx" } } },
    });
    await eventually(async () =>
      expect(await service.db.collection<{ _id: number }>("variables").findOne({ _id: variable.id })).toBeNull(),
    );
    expect(events()).toHaveLength(2);
  });
});
