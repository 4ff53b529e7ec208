import { suite } from "@ci/testkit/suite";
import { buildStore } from "../src/store/builds.js";
import { ensureAllIndexes } from "../src/store/indexes.js";
import { aBuild, t0 } from "./_build.js";
import { type CountingClient, countingClient } from "./_received.js";

const names = suite();
let client: CountingClient;

beforeAll(async () => {
  client = await countingClient(names);
  await ensureAllIndexes(client.db);
});
afterAll(() => client.close());

it("the newest build of a namespace is read without its manifest and output", async () => {
  const builds = buildStore(client.db, () => undefined);
  const text = "#".repeat(1024 ** 2);
  const tail = [{ start: 0, bytes: text.length, text }];
  const doc = aBuild({ _id: 101, number: 2, namespaceId: 5, manifest: text, tail, outputBytes: text.length });
  await builds.insert([doc]);
  const before = client.bytes();
  expect(await builds.latest([5])).toMatchObject([{ _id: doc._id, status: "queued", driver: doc.driver }]);
  expect(client.bytes() - before).toBeLessThan(10_000);
});

it("a request about a build reads the fields that it shows, not the values of variables or the commands", async () => {
  const builds = buildStore(client.db, () => undefined);
  const large = "#".repeat(1024 ** 2);
  const variable = { id: 1, key: "A", masked: false, sealed: large, createdAt: t0 };
  const doc = aBuild({ userId: 7, number: 1, variables: [variable as never], steps: [{ commands: [large] }] });
  await builds.insert([doc]);
  const before = client.bytes();
  const found = await builds.byNumber(7, 1, ["jobs"]);
  expect(found).toMatchObject({ _id: doc._id, manifest: doc.manifest, jobs: doc.jobs });
  expect(client.bytes() - before).toBeLessThan(100_000);
  expect((await builds.byNumber(7, 1, ["variables"])).variables).toEqual([variable]);
});
