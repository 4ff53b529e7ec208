import { randomUUID } from "node:crypto";
import { eventually } from "@ci/testkit/eventually";
import { MongoClient } from "mongodb";
import { hookDeliveryStore } from "../../src/store/hook-deliveries.js";
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
