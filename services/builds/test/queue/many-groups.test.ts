import type { BuildDoc } from "../../src/domain/build.js";
import { bootBuilds, manifest } from "../_suite.js";
import { crowd, database, storedBuild } from "./_crowd.js";
import { examined } from "./_examined.js";

const suite = bootBuilds({ runningPerNamespace: 1 });
const data = database(suite.names);
const { users } = suite;

const inGroup = (group: string) => `concurrency: {group: ${group}}${manifest}`;
const builds = () => data.db.collection<BuildDoc>("builds");

/** Queues copies of a build, each in a group of its own. */
async function inManyGroups(build: BuildDoc, count: number, prefix: string, more: Partial<BuildDoc> = {}) {
  const key = (n: number) => `${prefix}/${String(n).padStart(5, "0")}`;
  const copies = await crowd(data.db, { ...build, ...more }, count, undefined, (n) => ({
    concurrency: { key: key(n) },
  }));
  return copies.map(({ concurrency }) => concurrency!.key);
}

/** Queues a build of a group that already runs one. */
async function ofBusyGroup(group = "deploy"): Promise<BuildDoc> {
  await suite.submit(users.ann, inGroup(group));
  expect(await suite.claim()).toBeDefined();
  return storedBuild(data.db, (await suite.submit(users.ann, inGroup(group))).id);
}

afterEach(async () => {
  await builds().deleteMany({});
});

it("builds of forks that wait for approval hide no build of a group", async () => {
  const queued = await ofBusyGroup();
  await inManyGroups(queued, 600, "fork/https://git.test/a/7/user", { awaitsApproval: true });
  const free = await suite.submit(users.ann, inGroup("test"));
  expect((await suite.claim())?.buildId).toBe(free.id);
  expect(await suite.claim()).toBeUndefined();
});

it("an approved build of a fork is found among thousands that are not", async () => {
  const queued = await ofBusyGroup();
  const keys = await inManyGroups(queued, 3_000, "fork/https://git.test/a/7/user", { awaitsApproval: true });
  await builds().updateOne({ "concurrency.key": keys.at(-1)! }, { $unset: { awaitsApproval: true } });
  const claims = [await suite.claim(), await suite.claim()].map((claim) => claim?.buildId);
  const approved = await builds().findOne({ "concurrency.key": keys.at(-1)! });
  expect(claims).toEqual([undefined, approved!._id]);
});

it("claims find the only free group behind thousands of busy ones", async () => {
  const queued = await ofBusyGroup();
  const keys = await inManyGroups(queued, 2_600, "user/1");
  await crowd(data.db, { ...queued, status: "running" }, keys.length, undefined, (n) => ({
    concurrency: { key: keys[n]! },
  }));
  const free = await suite.submit(users.ann, inGroup("z"));
  const claims = [await suite.claim(), await suite.claim()].map((claim) => claim?.buildId);
  expect(claims).toEqual([undefined, free.id]);
});

it("groups of a full namespace tree hide no group outside it", async () => {
  await suite.submit(users.ann, `namespace: team${manifest}`);
  expect(await suite.claim()).toBeDefined();
  const queued = await suite.submit(users.ann, `namespace: team\n${inGroup("a")}`);
  await inManyGroups(await storedBuild(data.db, queued.id), 120, "namespace/1");
  const free = await suite.submit(users.ann, inGroup("a"));
  expect((await suite.claim())?.buildId).toBe(free.id);
});

it("a claim reads a bounded number of keys, however many groups a user queues", async () => {
  const queued = await ofBusyGroup();
  await inManyGroups(queued, 12_000, "fork/https://git.test/a/7/user", { awaitsApproval: true });
  const cost = await examined(data.db, ["builds"], () => suite.claim());
  expect(cost).toBeGreaterThan(500);
  expect(cost).toBeLessThan(6_000);
});

it("a build whose claim fails holds up no other user's", async () => {
  const broken = await suite.submit(users.ann);
  await suite.change(broken.id, { $unset: { jobs: true } });
  const other = await suite.submit(users.bob);
  expect((await suite.claim())?.buildId).toBe(other.id);
});
