import { suite } from "@ci/testkit/suite";
import { BSON, MongoClient } from "mongodb";
import { buildStore } from "../src/store/builds.js";
import { ensureAllIndexes } from "../src/store/indexes.js";
import { aBuild, t0 } from "./_build.js";

const names = suite();
let client: MongoClient;
let received = 0;

beforeAll(async () => {
  client = await new MongoClient(names.mongoUrl, { monitorCommands: true, ignoreUndefined: true }).connect();
  await ensureAllIndexes(client.db(names.mongoDb));
  client.on("commandSucceeded", ({ reply }) => {
    received += BSON.calculateObjectSize(reply as BSON.Document);
  });
});
afterAll(() => client.close());

it("a request about a build reads the fields that it shows, not the values of variables or the commands", async () => {
  const builds = buildStore(client.db(names.mongoDb), () => undefined);
  const large = "#".repeat(1024 ** 2);
  const variable = { id: 1, key: "A", masked: false, sealed: large, createdAt: t0 };
  const doc = aBuild({ userId: 7, number: 1, variables: [variable as never], steps: [{ commands: [large] }] });
  await builds.insert([doc]);
  received = 0;
  const found = await builds.byNumber(7, 1, ["jobs"]);
  expect(found).toMatchObject({ _id: doc._id, manifest: doc.manifest, jobs: doc.jobs });
  expect(received).toBeLessThan(100_000);
  expect((await builds.byNumber(7, 1, ["variables"])).variables).toEqual([variable]);
});
