import { eventually } from "@ci/testkit/eventually";
import { startMongoPair } from "@ci/testkit/stores";
import { openMongo } from "../src/mongo/mongo.js";

it("ping finds the new primary when the old one has become silent", async () => {
  await using pair = await startMongoPair();
  await using mongo = await openMongo(pair.setUrl, "failover");
  await mongo.ping();
  await pair.first.pause();
  await expect(mongo.ping()).rejects.toThrow();
  await pair.promoteSecond();
  await eventually(() => mongo.ping());
});
