import { randomUUID } from "node:crypto";
import { eventually } from "@ci/testkit/eventually";
import { MongoClient } from "mongodb";
import { type HookDelivery, hookDeliveryStore } from "../../src/store/hooks/hook-deliveries.js";
import { ensureAllIndexes } from "../../src/store/indexes.js";
import { bootHooks, manifest } from "./_hooks.js";

const { suite, hooked } = bootHooks();

it("a repeated delivery submits no second build after its record was pruned", async () => {
  const { git, push, record } = await hooked();
  const sha = await git.commit({ ".service-ci.yml": manifest });
  const id = randomUUID();
  const builds = await push({ sha }, id);
  const client = await MongoClient.connect(suite.names.mongoUrl);
  const db = client.db(`${suite.names.mongoDb}_builds`);
  const deliveries = db.collection<{ _id: string }>("hookDeliveries");
  await eventually(async () => expect(await deliveries.countDocuments({ _id: `${record.id}/${id}` })).toBe(1));
  const store = hookDeliveryStore(db);
  expect(await store.prune(new Date(Date.now() - 60_000))).toBe(0);
  expect(await store.prune(new Date(Date.now() + 60_000))).toBe(1);
  expect(await push({ sha }, id)).toEqual(builds);
  await client.close();
});

it("a delivery is pruned only when nothing of it is due any more", async () => {
  const client = await MongoClient.connect(suite.names.mongoUrl);
  const db = client.db(`${suite.names.mongoDb}_due`);
  await ensureAllIndexes(db);
  const store = hookDeliveryStore(db);
  const change = { type: "push", ref: "refs/heads/main", sha: "c0ffee" } as NonNullable<HookDelivery["change"]>;
  await store.insert({ _id: "1/a", repositoryId: 1, change, createdAt: new Date(0), failures: 0 }, 0);
  const held = (await store.claim("1/a", 0))!;
  await store.release(held, { sha: "c0ffee", reported: "pending", dueInMs: 0 });
  expect(await store.prune(new Date())).toBe(0);
  await store.release((await store.claim("1/a", 0))!, { reported: "success", dueInMs: "never" });
  expect(await store.prune(new Date())).toBe(1);
  await db.dropDatabase();
  await client.close();
});

it("a delivery whose holders keep dying fails in the end and leaves them alone, and one that was released begins anew", async () => {
  const client = await MongoClient.connect(suite.names.mongoUrl);
  // Not the database of the service, which would claim the delivery.
  const db = client.db(`${suite.names.mongoDb}_lost`);
  const store = hookDeliveryStore(db);
  const change = { type: "push", ref: "refs/heads/main", sha: "c0ffee" } as NonNullable<HookDelivery["change"]>;
  const delivery = { _id: "1/a", repositoryId: 1, change, createdAt: new Date(), failures: 0 };
  await store.insert(delivery, 0);
  const die = async (times: number) => {
    for (let n = 0; n < times; n++) expect(await store.claim("1/a", 0)).not.toHaveProperty("sha");
  };
  await die(4);
  await store.release((await db.collection<HookDelivery>("hookDeliveries").findOne({ _id: "1/a" }))!, { dueInMs: 0 });
  await die(5);
  const failed = { sha: "c0ffee", wrong: true, reasons: [expect.any(String)], dueAt: expect.any(Date) };
  // Its failure is reported, unless the holders die of that too.
  for (let n = 0; n < 5; n++) expect(await store.claim("1/a", 0)).toMatchObject(failed);
  expect(await store.claim("1/a", 0)).not.toHaveProperty("dueAt");
  expect(await store.claim("1/a", 0)).toBeNull();
  await db.dropDatabase();
  await client.close();
});
