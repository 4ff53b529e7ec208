import { suite } from "@ci/testkit/suite";
import { BSON, MongoClient } from "mongodb";
import { ensureAllIndexes } from "../../src/store/indexes.js";
import { queueStore } from "../../src/store/queue.js";
import { aBuild, after } from "../_build.js";

const names = suite();
const manifest = "#".repeat(100_000);
const userId = 7;
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

const builds = () => client.db(names.mongoDb).collection("builds");
const build = (id: number, where: object) =>
  ({ ...aBuild({ _id: id, number: id, userId, manifest, createdAt: after(id) }), ...where }) as never;
const group = (key: string) => ({ concurrency: { key } });

it.each([
  ["groups", (n: number) => group(`group ${n}`), { roots: [], groups: ["group 1"] }],
  ["namespaces", (n: number) => ({ rootId: n }), { roots: [1], groups: [] }],
])("a claim that skips %s reads one whole build, however many it chooses from", async (_what, where, heldBack) => {
  await builds().deleteMany({});
  await builds().insertMany(Array.from({ length: 20 }, (_, n) => build(n + 1, where(n + 1))));
  received = 0;
  const { doc } = await queueStore(client.db(names.mongoDb)).oldest("os", userId, { ...heldBack, ids: [] });
  expect(doc).toMatchObject({ _id: 2, manifest });
  expect(received).toBeLessThan(2 * manifest.length);
});
