import { runAs } from "@ci/kit/rpc/caller";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import type { GetBuildInputsResponse } from "@ci/proto/namespaces/v1/resources";
import { suite } from "@ci/testkit/suite";
import { uploadMessages } from "@ci/testkit/uploads";
import { bootResources, privateKey, refusal } from "./_resources.js";
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

const variable = async (key: string, value: string, namespace = "", mask = false) =>
  (await runAs(as(ada.id), () => service.variables.createVariable({ key, value, namespace, mask }))).variable!;
const key = async (name: string, config: string, namespace = "") =>
  (await runAs(as(ada.id), () => service.keys.createKey({ name, config, privateKey, namespace }))).key!;
const object = async (name: string, namespace = "") =>
  (await runAs(as(ada.id), () => service.objects.uploadObject(uploadMessages(name, "text", namespace)))).object!;
const inputs = (request: {
  userId?: number;
  namespaceId?: number;
  objectNames?: string[];
  ancestorIds?: readonly number[];
}) => service.buildInputs.getBuildInputs(request);
const byName = ({ variables, keys, objects }: GetBuildInputsResponse) => ({
  variables: Object.fromEntries(variables.map(({ key, value }) => [key, value])),
  keys: Object.fromEntries(keys.map(({ name, config }) => [name, config])),
  objects: Object.fromEntries(objects.map(({ name, id }) => [name, id])),
});

describe("succeeds", () => {
  test("returns all inputs decrypted, with the ids of their records", async () => {
    const created = { variable: await variable("A", "secret", "", true), key: await key("id", "Host *") };
    const found = await object("a");
    expect(await inputs({ userId: ada.id, objectNames: ["a"] })).toEqual({
      variables: [{ id: created.variable.id, key: "A", value: "secret", masked: true }],
      keys: [{ id: created.key.id, name: "id", privateKey, config: "Host *" }],
      objects: [found],
    });
  });

  test("the namespace's inputs replace the user's of the same name; other namespaces do not count", async () => {
    await variable("A", "mine");
    await variable("B", "mine");
    const { namespaceId } = await variable("B", "namespace's", "deep/ness");
    await variable("C", "namespace's", "deep/ness");
    await variable("D", "parent's", "deep");
    await key("a", "mine");
    await key("b", "mine");
    await key("b", "namespace's", "deep/ness");
    await key("c", "parent's", "deep");
    const objects = { a: await object("a"), b: await object("b"), c: await object("b", "deep/ness") };
    await object("unasked");
    await object("parents", "deep");
    const objectNames = ["a", "b", "b", "parents", "missing", "../b"];
    expect(byName(await inputs({ userId: ada.id, namespaceId, objectNames }))).toEqual({
      variables: { A: "mine", B: "namespace's", C: "namespace's" },
      keys: { a: "mine", b: "namespace's" },
      objects: { a: objects.a.id, b: objects.c.id },
    });
    expect(byName(await inputs({ namespaceId, objectNames }))).toEqual({
      variables: { B: "namespace's", C: "namespace's" },
      keys: { b: "namespace's" },
      objects: { b: objects.c.id },
    });
  });

  test("what a namespace owns holds below it, and the nearest of a name wins", async () => {
    const named = (name: string) => ({ name, userId: ada.id, create: true });
    const { namespace } = await runAs(as(ada.id), () => service.namespaces.enterNamespace(named("top/mid/low")));
    const { id: namespaceId, ancestorIds } = namespace!;
    for (const [name, path] of [
      ["USERS", ""],
      ["TOPS", "top"],
      ["MIDS", "top/mid"],
      ["LOWS", "top/mid/low"],
    ] as const) {
      // Each scope replaces those names that begin with an earlier one.
      for (const one of ["USERS", "TOPS", "MIDS", "LOWS"].slice(0, ["USERS", "TOPS", "MIDS", "LOWS"].indexOf(name) + 1))
        await Promise.all([variable(one, path || "user", path), key(one, path || "user", path)]);
    }
    await variable("OTHERS", "other", "top/other");
    const [top, mid] = [await object("a", "top"), await object("b", "top/mid")];
    const low = await object("b", "top/mid/low");
    const found = byName(await inputs({ userId: ada.id, namespaceId, ancestorIds, objectNames: ["a", "b"] }));
    const nearest = { USERS: "top/mid/low", TOPS: "top/mid/low", MIDS: "top/mid/low", LOWS: "top/mid/low" };
    expect(found).toEqual({ variables: nearest, keys: nearest, objects: { a: top.id, b: low.id } });
    const above = byName(await inputs({ userId: ada.id, ancestorIds, objectNames: ["a", "b"] }));
    const byMid = { USERS: "top/mid", TOPS: "top/mid", MIDS: "top/mid" };
    expect(above).toEqual({ variables: byMid, keys: byMid, objects: { a: top.id, b: mid.id } });
    const withoutUser = byName(await inputs({ ancestorIds: ancestorIds.slice(0, 1) }));
    expect(withoutUser.variables).toEqual({ USERS: "top", TOPS: "top" });
  });

  test("omits deleted inputs and those of others", async () => {
    const { id } = await variable("A", "mine");
    await runAs(as(ada.id), () => service.variables.deleteVariable({ id }));
    const bob = await service.aUser();
    await runAs(as(bob.id), () => service.variables.createVariable({ key: "B", value: "his" }));
    const nothing = { variables: [], keys: [], objects: [] };
    expect(await inputs({ userId: ada.id })).toEqual(nothing);
    expect(await inputs({})).toEqual(nothing);
  });
});

describe("invalid", () => {
  test("rejects more than 1,000 variables of a user", async () => {
    const { id } = await variable("A", "mine");
    const variables = service.db.collection<{ _id: number; key: string }>("variables");
    const template = (await variables.findOne({ _id: id }))!;
    const copies = Array.from({ length: 999 }, (_, i) => ({ ...template, _id: 2 ** 40 + i, key: `A${i}` }));
    await variables.insertMany(copies);
    // The copies' values are encrypted for the first variable, so the failure to decrypt shows that they are read.
    await expect(inputs({ userId: ada.id })).rejects.toMatchObject({ code: "internal" });
    await variables.insertOne({ ...template, _id: 2 ** 40 - 1, key: "ONE_MORE" });
    const manifest = ["Manifest cannot use more than 1000 variables of a user or namespace; delete some of them"];
    expect(await refusal(inputs({ userId: ada.id }))).toEqual({ manifest });
  });

  test("rejects more than 8 MiB of variables and keys", async () => {
    const config = "a".repeat(1024 ** 2 - privateKey.length);
    await Promise.all(Array.from({ length: 8 }, (_, i) => key(`a${i}`, config)));
    expect((await inputs({ userId: ada.id })).keys).toHaveLength(8);
    await variable("ONE_MORE", "a");
    const manifest = ["Manifest variables and keys cannot exceed 8 MiB; delete some of them"];
    expect(await refusal(inputs({ userId: ada.id }))).toEqual({ manifest });
  });

  test("rejects far more without reading all of it", async () => {
    const { id } = await key("a", "");
    const keys = service.db.collection<{ _id: number; config: string; name: string }>("keys");
    const template = (await keys.findOne({ _id: id }))!;
    const config = "a".repeat(1024 ** 2);
    // Reading all of them would fail differently, because their secrets cannot be decrypted.
    await keys.insertMany(
      Array.from({ length: 17 }, (_, i) => ({ ...template, _id: 2 ** 41 + i, name: `a${i}`, config })),
    );
    const manifest = ["Manifest variables and keys cannot exceed 8 MiB; delete some of them"];
    expect(await refusal(inputs({ userId: ada.id }))).toEqual({ manifest });
  });
});
