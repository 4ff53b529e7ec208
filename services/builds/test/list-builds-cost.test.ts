import { openMongo } from "@ci/kit/mongo/mongo";
import { type Examined, examined } from "@ci/testkit/examined";
import type { BuildDoc } from "../src/domain/build.js";
import { termsOfTags } from "../src/store/selection.js";
import { bootBuilds, manifest } from "./_suite.js";

// What a list costs is counted in index keys and documents: it must not grow with the builds that are stored.
const on = bootBuilds();
const stored = 3_000;
const objectId = 77;
let mongo: Awaited<ReturnType<typeof openMongo>>;
let namespaceId: number;

beforeAll(async () => {
  mongo = await openMongo(on.names.mongoUrl, `${on.names.mongoDb}_builds`);
  const { id } = await on.submit(on.users.ann, `namespace: team${manifest}`, { tags: ["nightly"] });
  // One that waited would tell its place in the queue, which is a query more.
  const held = (await on.claim())!;
  for (const [index] of held.jobs.entries()) await on.finish(held, index, "passed");
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
    const own = {
      _id: id + n,
      number: 1 + n,
      createdAt: new Date(n * 1_000),
      tags,
      tagTerms: termsOfTags(tags),
      objects,
    };
    return { ...build, ...own, outbox: [], status: isRare ? "failed" : "passed" };
  };
  await collection.insertMany(Array.from({ length: stored }, (_, n) => copy(n + 1)));
});
afterAll(() => mongo[Symbol.asyncDispose]());

const list = (ask: Partial<Parameters<typeof on.builds.listBuilds>[0]>) =>
  on.as(on.users.ann, () => on.builds.listBuilds({ tag: "", search: "", ...ask }));

const most = ({ keys, docs }: Examined) => Math.max(keys, docs);

const lists = {
  "of the caller": () => ({}),
  "of a namespace": () => ({ namespaceId }),
};

describe.each(Object.entries(lists))("answers: a list %s", (_, of) => {
  it.each([
    ["as it is", {}, 25],
    ["with a tag that all have", { tag: "nightly" }, 25],
    ["with a tag that few have", { tag: "rare" }, 6],
    ["with a tag that none has", { tag: "never" }, 0],
    ["with a part of a tag that all have", { search: "IGHT" }, 25],
    ["with a part of a tag that few have", { search: "needle" }, 6],
    ["with a part of a tag that none has", { search: "nowhere" }, 0],
    ["with a status that all have", { status: "passed" as const }, 25],
    ["with a status that few have", { status: "failed" as const }, 6],
    ["with a status that none has", { status: "killed" as const }, 0],
  ])("%s reads as much as it shows", async (_, ask, shown) => {
    const queries = await examined(mongo.db, "builds", async () => {
      expect((await list({ ...of(), ...ask })).builds).toHaveLength(shown);
    });
    expect(queries).toHaveLength(1);
    for (const query of queries) {
      expect(query.sortedInMemory).toBe(false);
      // One more than a page tells whether there is another.
      expect(most(query)).toBeLessThanOrEqual(shown + 2);
    }
  });
});

describe("answers: the users of an object", () => {
  it.each([
    ["as they are", {}, 25],
    ["with a status that all have", { status: "passed" as const }, 25],
  ])("%s", async (_, ask, shown) => {
    const queries = await examined(mongo.db, "builds", async () => {
      expect((await list({ objectId, ...ask })).builds).toHaveLength(shown);
    });
    for (const query of queries) expect(most(query)).toBeLessThanOrEqual(shown + 3);
  });

  it("the namespaces they lie in, without reading them all", async () => {
    const plan = await mongo.db.command({
      explain: { distinct: "builds", key: "namespaceId", query: { "objects.objectId": objectId } },
      verbosity: "executionStats",
    });
    expect(plan.executionStats.totalKeysExamined).toBeLessThan(10);
  });
});
