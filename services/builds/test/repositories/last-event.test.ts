import { examined } from "@ci/testkit/examined";
import { suite } from "@ci/testkit/suite";
import { type HookDelivery, hookDeliveryStore } from "../../src/store/hooks/hook-deliveries.js";
import { ensureAllIndexes } from "../../src/store/indexes.js";
import { database } from "../queue/_crowd.js";

const data = database(suite());

it("the newest event of a provider is found below hundreds of runs by hand without reading these", async () => {
  await ensureAllIndexes(data.db);
  const deliveries = data.db.collection<HookDelivery>("hookDeliveries");
  const at = (nth: number) => ({
    _id: `1/${nth}`,
    repositoryId: 1,
    number: nth,
    createdAt: new Date(nth),
    failures: 0,
  });
  const sent = [1, 2].map((nth) => ({ ...at(nth), bodyHash: `hash ${nth}` }));
  const runs = Array.from({ length: 300 }, (_, nth) => ({ ...at(3 + nth), event: "run" }));
  await deliveries.insertMany([...sent, ...runs]);
  const store = hookDeliveryStore(data.db);
  let newest: Date | undefined;
  const [cost] = await examined(data.db, "hookDeliveries", async () => {
    newest = await store.lastEventAt(1);
  });
  expect(newest).toEqual(new Date(2));
  expect(cost).toMatchObject({ keys: 1, docs: 1, sortedInMemory: false });
  expect(await store.lastEventAt(2)).toBeUndefined();
});
