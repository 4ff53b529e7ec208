import { runAs } from "@ci/kit/rpc/caller";
import { decrypt, keyIdOf } from "@ci/kit/security/secrets";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { eventually } from "@ci/testkit/eventually";
import { suite } from "@ci/testkit/suite";
import type { VariableDoc } from "../src/domain/variable.js";
import { bootResources, refusal } from "./_resources.js";
import { as } from "./_suite.js";

const own = suite();
let service: Awaited<ReturnType<typeof bootResources>>;
let ada: User;

beforeAll(async () => {
  service = await bootResources(own);
});
beforeEach(async () => {
  ada = await service.aUser();
});
afterAll(() => service.close());

type Fields = { namespace?: string; key?: string; value?: string; mask?: boolean };
const create = async (user: User, fields: Fields) =>
  (await runAs(as(user.id), () => service.variables.createVariable({ key: "KEY", value: "value", ...fields })))
    .variable!;
const refusalOf = (user: User, fields: Fields) => refusal(create(user, fields));
const stored = (id: number) => service.db.collection<VariableDoc>("variables").findOne({ _id: id });
const eventsOf = (id: number) =>
  service.events.filter(({ body }) => body?.$case === "variable" && body.value.variable?.id === id);

describe("succeeds", () => {
  test("returns the record with its value", async () => {
    expect(await create(ada, { key: "PATH_1", value: "/bin\nä" })).toEqual({
      id: expect.any(Number),
      authorId: ada.id,
      userId: ada.id,
      namespaceId: undefined,
      key: "PATH_1",
      value: "/bin\nä",
      masked: false,
      createdAt: expect.any(Date),
    });
  });

  test("returns xxxxxx instead of a masked value", async () => {
    expect(await create(ada, { value: "secret", mask: true })).toMatchObject({ value: "xxxxxx", masked: true });
  });

  test("creates a missing namespace", async () => {
    const variable = await create(ada, { namespace: "fresh" });
    const request = { username: ada.username, path: "fresh", anonymous: false };
    const { namespace } = await runAs(as(ada.id), () => service.namespaces.getNamespace(request));
    expect(variable).toMatchObject({ namespaceId: namespace!.id, userId: ada.id, authorId: ada.id });
  });

  test("a variable in another user's namespace has its owner as user and the collaborator as author", async () => {
    const bob = await service.aUser();
    const root = await service.aNamespace(bob, "bobs");
    await service.addCollaborator(ada, bob, root.id);
    const variable = await create(ada, { namespace: `bobs/child@${bob.username}` });
    expect(variable).toMatchObject({ userId: bob.id, authorId: ada.id });
    expect(variable.namespaceId).not.toBe(root.id);
  });

  test("stores the value encrypted for this record", async () => {
    const { id } = await create(ada, { value: "open secret" });
    const doc = await stored(id);
    expect(JSON.stringify(doc)).not.toContain('open secret"');
    expect(keyIdOf(doc!.sealed)).toBe("test");
    expect(decrypt(service.config.keyring, doc!.sealed, { kind: "variable", id })).toBe("open secret");
    expect(() => decrypt(service.config.keyring, doc!.sealed, { kind: "variable", id: id + 1 })).toThrow();
  });

  test("accepts the same key in two scopes", async () => {
    await create(ada, {});
    await create(ada, { namespace: "one" });
    await create(ada, { namespace: "two" });
    await create(ada, { key: "key" });
  });
});

describe("invalid", () => {
  test("reports every wrong field at once and creates no namespace", async () => {
    expect(await refusalOf(ada, { namespace: ".a", key: "", value: "" })).toEqual({
      namespace: [
        "Namespace name can only contain letters, numbers, dots, dashes, and underscores, and begin with a letter or number",
      ],
      key: ["Key field required"],
      value: ["Value field required"],
    });
    expect(await refusalOf(ada, { namespace: "fresh", key: "1", value: "short", mask: true })).toEqual({
      key: ["Key does not match ^[A-Za-z_][A-Za-z0-9_]*$"],
      value: ["Value cannot be shorter than 6 characters in length"],
    });
    const { namespaces } = await runAs(as(ada.id), () => service.namespaces.listNamespaces({}));
    expect(namespaces).toEqual([]);
  });

  test("rejects a value above 64 KiB", async () => {
    await create(ada, { value: "a".repeat(65_536) });
    const value = ["Value cannot be longer than 65536 bytes"];
    expect(await refusalOf(ada, { key: "MORE", value: "a".repeat(65_537) })).toEqual({ value });
  });

  test("rejects a taken key together with other complaints", async () => {
    await create(ada, { namespace: "mine" });
    expect(await refusalOf(ada, { namespace: "mine", value: "" })).toEqual({
      key: ["Key already exists"],
      value: ["Value field required"],
    });
  });

  test("rejects a namespace that the caller may not write to", async () => {
    const bob = await service.aUser();
    await service.aNamespace(bob, "open", "internal");
    const denied = { namespace: ["Namespace permission denied"] };
    expect(await refusalOf(ada, { namespace: `open@${bob.username}` })).toEqual(denied);
    expect(await refusalOf(ada, { namespace: `open/child@${bob.username}` })).toEqual(denied);
  });

  test("rejects a caller without a user", async () => {
    const call = runAs(as(undefined), () => service.variables.createVariable({ key: "A", value: "b" }));
    expect(await refusal(call)).toBe("unauthenticated");
  });
});

describe("conflict", () => {
  test.each([
    ["without namespace", ""],
    ["in a new namespace", "raced"],
  ])("exactly one of fifty concurrent requests %s gets the key", async (_where, namespace) => {
    const attempt = (i: number) => create(ada, { namespace, value: `${i}` }).catch((error) => error.fields);
    const results = await Promise.all(Array.from({ length: 50 }, (_, i) => attempt(i)));
    const winners = results.filter(({ id }) => id !== undefined);
    expect(winners).toHaveLength(1);
    const losers = results.filter((result) => !winners.includes(result));
    expect(losers).toEqual(Array(49).fill({ key: ["Key already exists"] }));
    const { variables } = await runAs(as(ada.id), () => service.variables.listVariables({}));
    expect(variables).toEqual(winners);
    const { namespaces } = await runAs(as(ada.id), () => service.namespaces.listNamespaces({}));
    expect(namespaces.map(({ path }) => path)).toEqual(namespace === "" ? [] : [namespace]);
  });
});

describe("events", () => {
  test("publishes variables, created, with the public value", async () => {
    const open = await create(ada, { key: "OPEN", value: "to be seen", namespace: "told" });
    const masked = await create(ada, { key: "MASKED", value: "never to be seen", mask: true, namespace: "told" });
    for (const variable of [open, masked])
      await eventually(() =>
        expect(eventsOf(variable.id)).toMatchObject([
          {
            kind: "variables",
            actorId: ada.id,
            namespaceId: variable.namespaceId,
            body: { value: { action: "created", variable } },
          },
        ]),
      );
    expect(JSON.stringify(service.events)).not.toContain("never to be seen");
  });
});
