import { runAs } from "@ci/kit/rpc/caller";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { eventually } from "@ci/testkit/eventually";
import { accountQuotas } from "@ci/testkit/quotas";
import { suite } from "@ci/testkit/suite";
import { uploadMessages } from "@ci/testkit/uploads";
import { MongoClient } from "mongodb";
import { releaseFromNamespaces } from "../src/actions/release.js";
import { keyStore } from "../src/store/keys.js";
import { objectStore } from "../src/store/objects.js";
import { variableStore } from "../src/store/variables.js";
import { bootResources, privateKey, refusal } from "./_resources.js";
import { as } from "./_suite.js";

const own = suite();
let service: Awaited<ReturnType<typeof bootResources>>;
let ada: User;
let bob: User;

beforeAll(async () => {
  service = await bootResources(own);
});
beforeEach(async () => {
  [ada, bob] = await Promise.all([service.aUser(), service.aUser()]);
});
afterAll(() => service.close());

const asUser = <T>(user: User, call: () => Promise<T>) => runAs(as(user.id), call);
const object = async (user: User, name: string, namespace = "") =>
  (await asUser(user, () => service.objects.uploadObject(uploadMessages(name, "text", namespace)))).object!;
const variable = async (user: User, key: string, namespace = "") =>
  (await asUser(user, () => service.variables.createVariable({ key, value: "value", namespace }))).variable!;
const key = async (user: User, name: string, namespace = "") =>
  (await asUser(user, () => service.keys.createKey({ name, privateKey, namespace }))).key!;
const release = (ids: number[]) => {
  const stores = [objectStore, variableStore, keyStore] as const;
  const [objects, variables, keys] = stores.map((store) => store(service.db, () => {}, accountQuotas)) as never as [
    never,
    never,
    never,
  ];
  return releaseFromNamespaces({ objects, variables, keys }, ids);
};

test("moves the records of a deleted tree to their user", async () => {
  const root = await service.aNamespace(ada, "doomed");
  await service.addCollaborator(bob, ada, root.id);
  const created = {
    object: await object(bob, "a", "doomed@".concat(ada.username)),
    variable: await variable(bob, "A", "doomed/deep@".concat(ada.username)),
    key: await key(ada, "id", "doomed/deep"),
  };
  await asUser(ada, () => service.namespaces.deleteNamespace({ id: root.id }));
  const released = { userId: ada.id, namespaceId: undefined };
  expect((await asUser(ada, () => service.objects.listObjects({}))).objects).toEqual([
    { ...created.object, ...released },
  ]);
  expect((await asUser(ada, () => service.variables.listVariables({}))).variables).toEqual([
    { ...created.variable, ...released },
  ]);
  expect((await asUser(ada, () => service.keys.listKeys({}))).keys).toEqual([{ ...created.key, ...released }]);
  expect(await refusal(asUser(bob, () => service.objects.getObject({ id: created.object.id })))).toBe("not_found");
  expect((await asUser(bob, () => service.objects.listObjects({}))).objects).toEqual([]);
  expect((await service.buildInputs.getBuildInputs({ userId: ada.id })).variables).toMatchObject([{ value: "value" }]);
});

test("appends the id to a taken name, repeatedly if necessary", async () => {
  const a = await object(ada, "a", "doomed");
  const v = await variable(ada, "A", "doomed");
  const k = await key(ada, "a", "doomed");
  for (const name of ["a", `a-${a.id}`]) await object(ada, name);
  await variable(ada, "A");
  await key(ada, "a");
  await release([a.namespaceId!]);
  expect(await asUser(ada, () => service.objects.getObject({ id: a.id }))).toMatchObject({
    object: { name: `a-${a.id}-${a.id}` },
  });
  const found = await asUser(ada, () => service.objects.listObjects({ search: `a-${a.id}-${a.id}` }));
  expect(found.objects.map(({ id }) => id)).toEqual([a.id]);
  expect(await asUser(ada, () => service.variables.getVariable({ id: v.id }))).toMatchObject({
    variable: { key: `A_${v.id}` },
  });
  expect(await asUser(ada, () => service.keys.getKey({ id: k.id }))).toMatchObject({ key: { name: `a-${k.id}` } });
});

test("releases two namespaces with the same names concurrently and repeatedly", async () => {
  const namespaces = ["one", "two", "three"];
  const created = [];
  for (const namespace of namespaces) created.push(await variable(ada, "A", namespace));
  const ids = created.map(({ namespaceId }) => namespaceId!);
  await Promise.all([release(ids), release(ids)]);
  await release(ids);
  const { variables } = await asUser(ada, () => service.variables.listVariables({}));
  const free = variables.filter(({ key }) => key === "A");
  expect(free).toHaveLength(1);
  const rest = created.filter(({ id }) => id !== free[0]!.id).map(({ id }) => `A_${id}`);
  expect(variables.map(({ key }) => key)).toEqual(["A", ...rest.sort()]);
});

test("releasing a record publishes no event", async () => {
  const { namespaceId, id } = await variable(ada, "A", "doomed");
  await release([namespaceId!]);
  const doc = await service.db.collection<{ _id: number; outbox: unknown[] }>("variables").findOne({ _id: id });
  expect(doc!.outbox.length).toBeLessThanOrEqual(1);
  await asUser(ada, () => service.variables.deleteVariable({ id }));
});

test("a read releases a record whose namespace is deleted", async () => {
  const { id, namespaceId } = await variable(ada, "A", "doomed");
  const gone = { endedAt: new Date() };
  await service.db.collection<{ _id: number }>("namespaces").updateOne({ _id: namespaceId! }, { $set: gone });
  expect(await asUser(ada, () => service.variables.getVariable({ id }))).toMatchObject({
    variable: { id, namespaceId: undefined },
  });
});

describe("a deleted namespace with thousands of records", () => {
  const count = 2_500;
  let namespaceId: number;

  beforeEach(async () => {
    const first = await variable(ada, "A", "doomed");
    namespaceId = first.namespaceId!;
    const variables = service.db.collection<{ _id: number; key: string }>("variables");
    const template = await variables.findOne({ _id: first.id });
    const copies = Array.from({ length: count - 1 }, (_, n) => ({
      ...template!,
      _id: first.id * 10_000 + n,
      key: `A${n}`,
      outbox: [],
      masked: true,
    }));
    await variables.insertMany(copies);
  });

  const end = () =>
    service.db
      .collection<{ _id: number }>("namespaces")
      .updateOne({ _id: namespaceId }, { $set: { endedAt: new Date() } });
  const left = () => service.db.collection("variables").countDocuments({ scope: `n${namespaceId}` });

  test("releases them with a few commands, and stops after the number that it was given", async () => {
    await variable(ada, "A7");
    const client = await MongoClient.connect(own.mongoUrl, { monitorCommands: true });
    try {
      let commands = 0;
      client.on("commandStarted", () => void commands++);
      const store = variableStore(client.db(service.config.mongoDb), () => {}, accountQuotas);
      await store.releaseFrom([namespaceId], 2_000);
      expect(await left()).toBe(500);
      await store.releaseFrom([namespaceId], 2_000);
      expect(await left()).toBe(0);
      expect(commands).toBeLessThan(count / 100);
    } finally {
      await client.close();
    }
    const { variables } = await asUser(ada, () => service.variables.listVariables({ search: "A7_" }));
    expect(variables.map(({ key }) => key)).toEqual([expect.stringMatching(/^A7_\d+$/)]);
  });

  test("a read of one releases only that one", async () => {
    const { variables } = await asUser(ada, () => service.variables.listVariables({ namespaceId }));
    await end();
    const { id } = variables[0]!;
    const { variable } = await asUser(ada, () => service.variables.getVariable({ id }));
    expect(variable!.namespaceId).toBeUndefined();
    expect(await left()).toBe(count - 1);
  });

  test("lists show them without the namespace, and only to their user", async () => {
    await service.addCollaborator(bob, ada, namespaceId);
    const list = async (user: User) => (await asUser(user, () => service.variables.listVariables({}))).variables;
    expect(await list(bob)).toHaveLength(25);
    await end();
    const listed = await list(ada);
    expect(listed.map((variable) => variable.namespaceId)).toEqual(Array(25).fill(undefined));
    expect(await list(bob)).toEqual([]);
  });
});

test("after DELETE all records are shown without the namespace, though a loop moves the last thousand", async () => {
  const { namespaceId, id } = await variable(ada, "A", "doomed");
  const variables = service.db.collection<{ _id: number; key: string }>("variables");
  const template = (await variables.findOne({ _id: id }))!;
  const copies = Array.from({ length: 2_000 }, (_, n) => ({
    ...template,
    _id: 1e9 + n,
    key: `A${n}`,
    outbox: [],
    masked: true,
  }));
  await variables.insertMany(copies);
  await asUser(ada, () => service.namespaces.deleteNamespace({ id: namespaceId! }));
  const list = () => service.variables.listVariables({ page: { number: 81 } });
  const [last] = (await asUser(ada, list)).variables;
  expect(last).toMatchObject({ key: "A999", namespaceId: undefined });
  await eventually(async () => expect(await variables.countDocuments({ scope: `n${namespaceId}` })).toBe(0));
});
