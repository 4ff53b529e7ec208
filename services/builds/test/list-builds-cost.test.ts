import { openMongo } from "@ci/kit/mongo/mongo";
import { type Examined, examined } from "@ci/testkit/examined";
import type { BuildDoc } from "../src/domain/build.js";
import { searchedBy } from "../src/store/selection.js";
import { bootBuilds, manifest } from "./_suite.js";
import { examined as keysAndDocs } from "./queue/_examined.js";

// The cost of a list is the number of index keys and documents read. It must not grow with the number of stored builds.
const suite = bootBuilds();
const stored = 3_000;
const objectId = 77;
const cronId = 78;
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
      _id: id + stored + n,
      number: 1 + n,
      createdAt: new Date(n * 1_000),
      tags,
      ...searchedBy(tags),
      objects,
      cronId,
    };
    return { ...build, ...fields, outbox: [], status: isRare ? "failed" : "passed" };
  };
  await collection.insertMany(Array.from({ length: stored }, (_, n) => copy(n + 1)));
});
afterAll(() => mongo[Symbol.asyncDispose]());

const list = (filter: Partial<Parameters<typeof suite.builds.listBuilds>[0]>, user = suite.users.ann) =>
  suite.as(user, () => suite.builds.listBuilds({ tag: "", search: "", ...filter }));

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

it("a list reads only the beginning of a long manifest", async () => {
  const { bob } = suite.users;
  const text = "\u2713".repeat(300_000);
  await suite.submit(bob, `${manifest}#${text}`);
  for (const brief of [false, true]) {
    const [query] = await examined(mongo.db, "builds", () => list({ brief }, bob));
    expect(query!.bytes).toBeLessThan(Buffer.byteLength(text) / 3);
  }
});

/** Returns how many documents MongoDB reads for the page of a list, and the page. */
async function docsRead(filter: Parameters<typeof list>[0], user = suite.users.ann) {
  await mongo.db.dropCollection("system.profile");
  await mongo.db.command({ profile: 2 });
  const { builds, page } = await list(filter, user);
  await mongo.db.command({ profile: 0 });
  const ns = `${mongo.db.databaseName}.builds`;
  const found = await mongo.db.collection("system.profile").find({ ns }).toArray();
  const own = found.filter(({ command }) => JSON.stringify(command).includes('"tag'));
  expect(own.length).toBeGreaterThan(0);
  return { shown: builds.length, page, docs: own.reduce((sum, { docsExamined }) => sum + (docsExamined ?? 0), 0) };
}

describe.each(Object.entries({ ...lists, "of the builds of a cron job": () => ({ cronId }) }))(
  "a short search in a list %s",
  (_, of) => {
    it.each([
      ["that finds none", { search: "zq" }, 0],
      ["that finds all", { search: "G" }, 25],
      ["that finds all, on a late page", { search: "gh", page: { number: 100 } }, 25],
      ["that finds few", { search: "dl" }, 6],
      ["that finds few, which have a tag", { search: "dl", tag: "rare" }, 6],
      ["with a tag that none of its builds has", { search: "dl", tag: "b7" }, 0],
      ["with part of a tag instead of a tag", { search: "ni", tag: "ightl" }, 0],
      ["with a status that none of its builds has", { search: "dl", status: "passed" as const }, 0],
      ["with a status that few have", { search: "ni", status: "failed" as const }, 6],
    ])("%s reads only the builds that it shows", async (_, filter, shown) => {
      const read = await docsRead({ ...of(), ...filter });
      expect(read.shown).toBe(shown);
      expect(read.docs).toBeLessThanOrEqual(shown + 1);
    });

    it("reads no build to count the pages", async () => {
      const { page, docs } = await docsRead({ ...of(), search: "ni", page: { number: 1_000 } });
      expect(page?.lastPage).toBe(Math.ceil((stored + ("cronId" in of() ? 0 : 1)) / 25));
      expect(docs).toBe(0);
    });
  },
);

it("a short search of a member reads only the builds that it shows, in the namespace and outside", async () => {
  const { bob } = suite.users;
  await suite.submit(bob, undefined, { tags: ["needle"] });
  const { namespaces } = suite.accounts;
  const { invite } = await suite.as(suite.users.ann, () => namespaces.sendInvite({ namespaceId, handle: "bob" }));
  await suite.as(bob, () => namespaces.acceptInvite({ id: invite!.id }));
  expect(await docsRead({ search: "zq" }, bob)).toMatchObject({ shown: 0, docs: 0 });
  expect(await docsRead({ search: "dl" }, bob)).toMatchObject({ shown: 7, docs: 7 });
  expect(await docsRead({ search: "dl", status: "passed" as const }, bob)).toMatchObject({ shown: 0, docs: 0 });
  expect(await docsRead({ search: "ni", page: { number: 1_000 } }, bob)).toMatchObject({ shown: 0, docs: 0 });
  expect((await docsRead({ search: "ni", page: { number: 100 } }, bob)).docs).toBeLessThanOrEqual(26);
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

it("a tag also finds builds that an older process has written", async () => {
  await mongo.db.collection("builds").updateMany({}, { $unset: { tagText: 1 } });
  expect((await list({ cronId, tag: "rare" })).builds).toHaveLength(6);
});
