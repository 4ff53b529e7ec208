// biome-ignore-all lint/suspicious/noTemplateCurlyInString: axes are replaced in texts of this form
import { openMongo } from "@ci/kit/mongo/mongo";
import type { Build } from "@ci/proto/builds/v1/builds";
import { eventually } from "@ci/testkit/eventually";
import type { Db } from "mongodb";
import type { BuildDoc } from "../src/domain/build.js";
import { buildStore } from "../src/store/builds.js";
import { aBuild } from "./_build.js";
import { cronsOf } from "./_crons.js";
import { bootBuilds, fault, manifest } from "./_suite.js";

const suite = bootBuilds();
const crons = cronsOf(suite);
const text = `matrix: {NODE: [20, 22], OS: [a, b], exclude: [{NODE: 20, OS: b}]}${manifest}`;
const combinations = [
  { NODE: "20", OS: "a" },
  { NODE: "22", OS: "a" },
  { NODE: "22", OS: "b" },
];
const as = <T>(work: () => Promise<T>) => suite.as(suite.users.ann, work);
const refOf = (number: number) => ({ userId: suite.users.ann.id, number });
const submit = async (variables: Record<string, string> = {}) =>
  (await as(() => suite.builds.submitBuild({ manifest: text, comment: "", tags: ["t"], variables }))).build!;
/** Returns the builds of a group in order. */
const inGroup = async (groupId: number, user = suite.users.ann): Promise<Build[]> => {
  const { builds } = await suite.as(user, () => suite.builds.listBuilds({ groupId, tag: "", search: "" }));
  return [...builds].sort((a, b) => a.group!.index - b.group!.index);
};
const restart = async (number: number, group: boolean) =>
  (await as(() => suite.builds.restartBuild({ ref: refOf(number), restartOf: "", variables: {}, group }))).build!;
const ignored = async () => {};
const kill = (number: number, group: boolean) => as(() => suite.builds.killBuild({ ref: refOf(number), group }));

describe("succeeds", () => {
  it("makes one build for each combination, and answers with the first", async () => {
    const first = await submit();
    const builds = await inGroup(first.group!.id);
    expect(builds.map(({ group }) => group)).toEqual(
      combinations.map((axes, index) => ({ id: first.id, size: 3, index, axes })),
    );
    expect(builds.map(({ number }) => number)).toEqual([0, 1, 2].map((n) => first.number + n));
    expect(builds[0]).toMatchObject({ id: first.id, status: "queued", tags: [{ name: "t" }], queue: { position: 1 } });
    for (const { id } of builds) await eventually(() => expect(suite.kinds(id)).toEqual(["build.submitted"]));
    const claims = [await suite.claim(), await suite.claim(), await suite.claim()];
    expect(claims.map((one) => Object.fromEntries(one!.variables.map(({ key, value }) => [key, value])))).toEqual(
      combinations,
    );
    for (const one of claims) await suite.finish(one!, 0, "failed");
  });

  it("each build has its own driver; commands stay as they are written", async () => {
    const driver = "driver: {type: docker, image: 'node:${NODE}', workspace: /w}";
    const commands = "jobs: [{commands: ['echo ${NODE}']}]";
    await suite.submit(suite.users.bob, `${driver}\nmatrix: {NODE: [20, 22]}\n${commands}`);
    for (const image of ["node:20", "node:22"]) {
      const { assignment } = await suite.queue.claimBuild({ runnerId: "r", drivers: ["docker"] });
      expect([assignment!.driver!.image, assignment!.jobs[1]!.commands]).toEqual([image, ["echo ${NODE}"]]);
    }
  });

  it("kills all builds of a group", async () => {
    const { number, group } = await submit();
    await kill(number + 1, false);
    expect((await inGroup(group!.id)).map(({ status }) => status)).toEqual(["queued", "killed", "queued"]);
    await kill(number + 2, true);
    expect((await inGroup(group!.id)).map(({ status }) => status)).toEqual(["killed", "killed", "killed"]);
  });

  it("restarts one build with its axes, or the whole group", async () => {
    const { number } = await submit();
    await kill(number + 2, false);
    expect(await fault(restart(number + 2, true))).toMatchObject({
      fields: { status: ["Status build is not finished"] },
    });
    const alone = await restart(number + 2, false);
    expect(alone.group).toBeUndefined();
    const { variables } = await as(() => suite.builds.listBuildVariables({ ref: refOf(alone.number), search: "" }));
    expect(Object.fromEntries(variables.map(({ key, value }) => [key, value]))).toEqual(combinations[2]);
    await kill(number, true);
    const again = await restart(number + 2, true);
    expect([again.group!.id, again.group!.axes]).toEqual([again.id, combinations[0]]);
    expect((await inGroup(again.id)).map(({ group }) => group!.axes)).toEqual(combinations);
    await Promise.all([kill(again.number, true), kill(alone.number, false)]);
  });

  it("a cron job's run makes the whole group once", async () => {
    const cron = await crons.create(suite.users.ann, { manifest: text });
    crons.advancePast(cron);
    const { lastError } = await crons.afterRun(suite.users.ann, cron);
    expect(lastError).toBeUndefined();
    const builds = await crons.buildsOf(suite.users.ann, cron.id);
    expect(builds.map(({ group }) => group!.axes)).toEqual([...combinations].reverse());
    await kill(builds[0]!.number, true);
  });
});

it("kills and restarts of a group find the builds that a crash has kept from being stored", async () => {
  const { number, id } = await submit();
  const builds = suite.database().collection<BuildDoc>("builds");
  const docs = await builds.find({ "group.id": id }).sort({ _id: 1 }).toArray();
  await builds.deleteMany({ "group.id": id, _id: { $ne: id } });
  const leaveUnstored = (docs: readonly BuildDoc[]) =>
    suite.database().collection<{ _id: number; docs: readonly BuildDoc[] }>("groups").insertOne({ _id: id, docs });
  await leaveUnstored(docs.slice(0, 2));
  await kill(number, true);
  expect((await inGroup(id)).map(({ status }) => status)).toEqual(["killed", "killed"]);
  await leaveUnstored(docs);
  expect(await fault(restart(number, true))).toMatchObject({ fields: { status: ["Status build is not finished"] } });
  await kill(number, true);
  expect((await inGroup(id)).map(({ status }) => status)).toEqual(["killed", "killed", "killed"]);
});

it("users see none of a group's builds without a right to its namespace", async () => {
  const { group, number } = await submit();
  expect(await inGroup(group!.id, suite.users.eve)).toEqual([]);
  await kill(number, true);
});

it("parameters cannot contradict the matrix, and a million combinations are refused", async () => {
  expect(await fault(submit({ NODE: "24" }))).toMatchObject({
    code: "invalid",
    fields: { variables: ["Variables NODE is an axis of the manifest's matrix"] },
  });
  const axes = ["A", "B", "C", "D", "E", "F"].map((name) => `${name}: [0,1,2,3,4,5,6,7,8,9]`);
  expect(await fault(suite.submit(suite.users.ann, `matrix: {${axes}}${manifest}`))).toMatchObject({
    code: "invalid",
    fields: {
      manifest: [expect.stringMatching(/^Manifest line \d+, column 9: matrix cannot make more than 50 builds$/)],
    },
  });
});

it("builds that are too large together are refused, and leave nothing", async () => {
  const axis = `matrix: {N: [${Array.from({ length: 50 }, (_, n) => n)}]}`;
  const large = `${axis}\nenv: ["X=${"x".repeat(200_000)}"]${manifest}`;
  const refused = await fault(suite.submit(suite.users.eve, large));
  expect(refused).toMatchObject({
    code: "invalid",
    fields: {
      manifest: [expect.stringMatching(/^Manifest matrix makes builds that are larger than 12 MiB together; /)],
    },
  });
  expect((await suite.submit(suite.users.eve)).number).toBe(1);
});

it("builds of many jobs that are too large together are refused as such, and not as one build", async () => {
  const axis = `matrix: {N: [${Array.from({ length: 50 }, (_, n) => n)}]}`;
  const text = `${axis}\ndriver: {type: os}\njobs: [${"{commands: [a, b, c, d, e, f, g, h, i, j, k, l, m]},".repeat(490)}]`;
  const message =
    "Manifest matrix makes builds that are larger than 7 MiB together; use fewer combinations, fewer jobs or shorter commands";
  expect((await fault(suite.submit(suite.users.eve, text))).fields).toEqual({ manifest: [message] });
});

it("if the first build of a group exists already, none is stored", async () => {
  const mongo = await openMongo(suite.names.mongoUrl, `${suite.names.mongoDb}_builds`);
  const store = buildStore(mongo.db, () => {});
  const docs = [1, 2, 3].map((n) => aBuild({ _id: 2 ** 40 + n, userId: 2 ** 40, number: n }));
  await store.insert([{ ...docs[0]!, _id: 2 ** 41 }]);
  await expect(store.insert(docs)).rejects.toMatchObject({ code: 11000 });
  expect(await mongo.db.collection("builds").countDocuments({ userId: 2 ** 40 })).toBe(1);
  expect(await store.completeGroups(ignored)).toBe(0);
  await mongo[Symbol.asyncDispose]();
});

it("a build whose number was taken after a crash of MongoDB gets the next one, everywhere", async () => {
  const { number: last } = await suite.submit(suite.users.ann);
  // As if a living process had reserved this number before the crash.
  const taken = aBuild({ _id: 2 ** 44, userId: suite.users.ann.id, ownerId: suite.users.ann.id, number: last + 2 });
  await suite.database().collection<{ _id: number }>("builds").insertOne(taken);
  const first = await submit();
  const builds = await inGroup(first.group!.id);
  expect(builds.map(({ number }) => number)).toEqual([1, 4, 3].map((n) => last + n));
  expect(builds.map(({ tags }) => tags[0]!.name)).toEqual(["t", "t", "t"]);
  const { jobs } = await as(() => suite.builds.listJobs({ ref: refOf(last + 4), search: "" }));
  expect(jobs[0]!.stage).toBe(`setup - #${last + 4}`);
  const submitted = () => suite.events.find(({ buildId }) => buildId === builds[1]!.id);
  await eventually(() =>
    expect(submitted()?.body).toMatchObject({ value: { number: last + 4, queue: expect.anything() } }),
  );
  expect(await suite.database().collection("groups").countDocuments({})).toBe(0);
  await kill(first.number, true);
});

it("a process that hangs while it stores a group goes on with the numbers that another one has given meanwhile", async () => {
  await using mongo = await openMongo(suite.names.mongoUrl, `${suite.names.mongoDb}_builds`);
  const builds = mongo.db.collection<BuildDoc>("builds");
  const userId = 2 ** 45;
  const docs = [1, 2, 3].map((number) => aBuild({ _id: userId + number, userId, number }));
  const taken = aBuild({ _id: 2 ** 46, userId, number: 2 });
  await builds.insertOne(taken);
  const insertOne = async (doc: BuildDoc) => {
    await buildStore(mongo.db, () => {}).completeGroups(ignored);
    return builds.insertOne(doc);
  };
  const hanging = Object.assign(Object.create(builds), { insertOne });
  const collection = (name: string) => (name === "builds" ? hanging : mongo.db.collection(name));
  const nudged: unknown[] = [];
  const db: Db = Object.assign(Object.create(mongo.db), { collection });
  const store = buildStore(db, (_, id, news) => nudged.push({ id, news }));
  const stored = await store.insert(docs);
  expect(stored.map(({ _id, number }) => [_id - userId, number])).toEqual(
    [1, 4, 3].map((number, n) => [n + 1, number]),
  );
  expect(nudged).toEqual(docs.map(({ _id: id }) => ({ id, news: undefined })));
  expect(await store.locate(userId, 2)).toMatchObject({ _id: taken._id });
  expect(await store.locate(userId, 4)).toMatchObject({ _id: docs[1]!._id });
});

it("a group whose storing was interrupted is completed by the retry of its delivery, which is then refused", async () => {
  await using mongo = await openMongo(suite.names.mongoUrl, `${suite.names.mongoDb}_builds`);
  const store = buildStore(mongo.db, () => {});
  const origin = { deliveryId: "interrupted", path: ".service-ci.yml", url: "https://git.example.com/a", sha: "a" };
  const member = (id: number, path: string) =>
    aBuild({ _id: id, userId: 2 ** 42, number: id, origin: { ...origin, bare: false, path } });
  const group = (first: number) => [
    member(first + 1, origin.path),
    ...[2, 3].map((n) => member(first + n, `${origin.path} (${n} of 3)`)),
  ];
  const key = `delivery/${origin.deliveryId}/${origin.path}`;
  await mongo.db
    .collection<{ _id: number }>("groups")
    .insertOne({ _id: 2 ** 42 + 1, key, docs: group(2 ** 42) } as never);
  await expect(store.insert(group(2 ** 43))).rejects.toMatchObject({ code: 11000 });
  const ids = (await store.ofDelivery(origin.deliveryId)).map(({ id }) => id);
  expect(ids).toEqual([1, 2, 3].map((n) => 2 ** 42 + n));
  expect(await store.completeGroups(ignored)).toBe(0);
});
