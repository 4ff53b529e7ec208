import { openMongo } from "@ci/kit/mongo/mongo";
import { type Examined, examined } from "@ci/testkit/examined";
import type { BuildDoc } from "../src/domain/build.js";
import { termsOfTags } from "../src/store/selection.js";
import { bootBuilds, manifest } from "./_suite.js";
import { examined as keysAndDocs } from "./queue/_examined.js";

// The cost of a list is the number of index keys and documents read. It must not grow with the number of stored builds.
const suite = bootBuilds();
const stored = 3_000;
const objectId = 77;
let mongo: Awaited<ReturnType<typeof openMongo>>;
let namespaceId: number;

beforeAll(async () => {
  mongo = await openMongo(suite.names.mongoUrl, `${suite.names.mongoDb}_builds`);
  const { id } = await suite.submit(suite.users.ann, `namespace: team${manifest}`, { tags: ["nightly"] });
  // A queued build would need another query for its place in the queue.
  const assignment = (await suite.claim())!;
  for (const [index] of assignment.jobs.entries()) await suite.finish(assignment, index, "passed");
  const collection = mongo.db.collection<BuildDoc>("builds");
  const build = (await collection.findOne({ _id: id }))!;
  namespaceId = build.namespaceId!;
  const copy = (n: number): BuildDoc => {
    const isRare = n % 500 === 250;
    const tags = ["nightly", isRare ? `needle${n}` : `b${n}`, ...(isRare ? ["rare"] : [])].map((name, index) => ({
      ...build.tags[0]!,
      id: 10 * n + index,
      name,
    }));
    const objects = [{ id: n, source: "o", name: "o", placed: true, objectId }];
    const fields = {
      _id: id + n,
      number: 1 + n,
      createdAt: new Date(n * 1_000),
      tags,
      tagTerms: termsOfTags(tags),
      objects,
    };
    return { ...build, ...fields, outbox: [], status: isRare ? "failed" : "passed" };
  };
  await collection.insertMany(Array.from({ length: stored }, (_, n) => copy(n + 1)));
});
afterAll(() => mongo[Symbol.asyncDispose]());

const list = (filter: Partial<Parameters<typeof suite.builds.listBuilds>[0]>) =>
  suite.as(suite.users.ann, () => suite.builds.listBuilds({ tag: "", search: "", ...filter }));

const cost = ({ keys, docs }: Examined) => Math.max(keys, docs);

const lists = {
  "of the caller": () => ({}),
  "of a namespace": () => ({ namespaceId }),
};

describe.each(Object.entries(lists))("a list of the builds %s", (_, of) => {
  it.each([
    ["without a filter", {}, 25],
    ["with a tag that all have", { tag: "nightly" }, 25],
    ["with a tag that few have", { tag: "rare" }, 6],
    ["with a tag that none has", { tag: "never" }, 0],
    ["with part of a tag that all have", { search: "IGHT" }, 25],
    ["with part of a tag that few have", { search: "needle" }, 6],
    ["with part of a tag that none has", { search: "nowhere" }, 0],
    ["with a status that all have", { status: "passed" as const }, 25],
    ["with a status that few have", { status: "failed" as const }, 6],
    ["with a status that none has", { status: "killed" as const }, 0],
  ])("%s reads no more than it shows", async (_, filter, shown) => {
    const queries = await examined(mongo.db, "builds", async () => {
      expect((await list({ ...of(), ...filter })).builds).toHaveLength(shown);
    });
    expect(queries).toHaveLength(1);
    for (const query of queries) {
      expect(query.sortedInMemory).toBe(false);
      // One more build than a page shows whether there is another page.
      expect(cost(query)).toBeLessThanOrEqual(shown + 2);
    }
  });
});

it("a brief list reads no output", async () => {
  const collection = mongo.db.collection<BuildDoc>("builds");
  const sizeBytes = 60_000;
  const tail = [{ start: 0, bytes: sizeBytes, text: "x".repeat(sizeBytes) }];
  const newest = { sort: { createdAt: -1 } } as const;
  await collection.findOneAndUpdate({ namespaceId }, { $set: { tail, outputBytes: sizeBytes } }, newest);
  const bytesOf = async (brief: boolean) => {
    const [query] = await examined(mongo.db, "builds", () => list({ namespaceId, brief }));
    return query!.bytes;
  };
  const [whole, brief] = [await bytesOf(false), await bytesOf(true)];
  expect(whole - brief).toBeGreaterThan(sizeBytes);
});

it("finding the newest build of a namespace reads none of the others", async () => {
  const read = await keysAndDocs(mongo.db, ["builds"], async () => {
    const { builds } = await suite.builds.getLatestBuilds({ namespaceIds: [namespaceId, namespaceId + 1] });
    expect(builds).toMatchObject([{ namespaceId }]);
  });
  expect(read).toBeLessThan(10);
});

describe("a list of the builds that use an object", () => {
  it.each([
    ["without a filter", {}, 25],
    ["with a status that all have", { status: "passed" as const }, 25],
  ])("%s reads no more than it shows", async (_, filter, shown) => {
    const queries = await examined(mongo.db, "builds", async () => {
      expect((await list({ objectId, ...filter })).builds).toHaveLength(shown);
    });
    for (const query of queries) expect(cost(query)).toBeLessThanOrEqual(shown + 3);
  });

  it("finds the builds' namespaces without reading all builds", async () => {
    const plan = await mongo.db.command({
      explain: { distinct: "builds", key: "namespaceId", query: { "objects.objectId": objectId } },
      verbosity: "executionStats",
    });
    expect(plan.executionStats.totalKeysExamined).toBeLessThan(10);
  });
});
