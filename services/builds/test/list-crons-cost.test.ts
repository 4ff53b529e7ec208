import { openMongo } from "@ci/kit/mongo/mongo";
import { termsOf } from "@ci/kit/mongo/search";
import { examined } from "@ci/testkit/examined";
import type { CronDoc } from "../src/domain/cron.js";
import { listedManifest } from "../src/domain/listed.js";
import { cronsOf } from "./_crons.js";
import { bootBuilds, manifest } from "./_suite.js";

// The cost of a list is the number of index keys and documents read. It must not grow with the number of stored cron jobs.
const suite = bootBuilds();
const crons = cronsOf(suite);
let mongo: Awaited<ReturnType<typeof openMongo>>;

beforeAll(async () => {
  mongo = await openMongo(suite.names.mongoUrl, `${suite.names.mongoDb}_builds`);
  const { id } = await crons.create(suite.users.ann, { name: "cron" });
  const collection = mongo.db.collection<CronDoc>("crons");
  const { wakeAt, ...cron } = (await collection.findOne({ _id: id }))!;
  const docs = Array.from({ length: 2_000 }, (_, n) => {
    const name = `cron${n}${n % 400 === 200 ? "needle" : ""}`;
    return { ...cron, _id: 10_000 + n, name, terms: termsOf([name]), outbox: [] };
  });
  await collection.insertMany(docs);
});
afterAll(() => mongo[Symbol.asyncDispose]());

describe("a list of cron jobs", () => {
  it.each([
    ["without a filter", "", 25],
    ["with a text that all contain", "CRON", 25],
    ["with a text that few contain", "needle", 5],
    ["with a text that none contains", "nowhere", 0],
  ])("%s reads no more than it shows", async (_, search, shown) => {
    const queries = await examined(mongo.db, "crons", async () => {
      expect((await crons.list(suite.users.ann, search)).crons).toHaveLength(shown);
    });
    const lists = queries.filter(({ query }) => !query.includes("wakeAt"));
    expect(lists).toHaveLength(1);
    for (const query of lists) {
      expect(query).toMatchObject({ sortedInMemory: false });
      expect(Math.max(query.keys, query.docs)).toBeLessThanOrEqual(shown + 2);
    }
  });

  it("reads only the beginning of a long manifest", async () => {
    const { bob } = suite.users;
    const text = "\u2713".repeat(300_000);
    const created = await crons.create(bob, { name: "long", manifest: `${manifest}#${text}` });
    const [query] = await examined(mongo.db, "crons", async () => {
      const [{ manifest: beginning, ...rest }] = (await crons.list(bob)).crons as [typeof created];
      expect({ ...rest, manifest: created.manifest }).toEqual(created);
      expect(beginning).toBe(listedManifest(created.manifest));
    });
    expect(query!.bytes).toBeLessThan(Buffer.byteLength(text) / 3);
  });
});
