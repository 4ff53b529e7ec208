import { openMongo } from "@ci/kit/mongo/mongo";
import type { SubmitBuildRequest } from "@ci/proto/builds/v1/builds";
import { eventually } from "@ci/testkit/eventually";
import { gate } from "@ci/testkit/gate";
import { connect } from "@ci/testkit/identities";
import type { Context } from "../src/context.js";
import type { BuildDoc } from "../src/domain/build.js";
import { buildStore } from "../src/store/builds.js";
import { cronsOf } from "./_crons.js";
import { bootBuilds, clients, fault, manifest } from "./_suite.js";

const suite = bootBuilds();
const crons = cronsOf(suite);
type Builds = typeof suite.builds;
type User = (typeof suite.users)["ann"];

const matrix = `${manifest}matrix: {N: ["1", "2", "3"]}\n`;
let keys = 0;
const aKey = () => `key-${++keys}`;
const send = (user: User, idempotencyKey: string, more: Partial<SubmitBuildRequest> = {}, builds?: Builds) =>
  suite.as(user, () =>
    (builds ?? suite.builds).submitBuild({ manifest, comment: "", tags: [], idempotencyKey, ...more }),
  );
const stored = (userId: number) =>
  suite.database().collection<BuildDoc>("builds").find({ userId }).sort({ _id: 1 }).toArray();

describe("a repeated submission", () => {
  it("returns the build that the first one made, as it is now", async () => {
    const user = await suite.accounts.aUser("repeating");
    const key = aKey();
    const first = await send(user, key, { tags: ["a"], variables: { B: "2", A: "1" } });
    expect(first.replayed).toBe(false);
    const ref = { userId: user.id, number: first.build!.number };
    await suite.as(user, () => suite.builds.pinBuild({ ref, pinned: true }));
    const again = await send(user, key, { tags: ["a"], variables: { A: "1", B: "2" } });
    expect(again).toMatchObject({ replayed: true, build: { id: first.build!.id, pinned: true, status: "queued" } });
    await suite.as(user, () => suite.builds.killBuild({ ref }));
    const later = await send(user, key, { tags: ["a"], variables: { A: "1", B: "2" } });
    expect(later.build).toMatchObject({ id: first.build!.id, status: "killed", queue: undefined });
    expect(await stored(user.id)).toHaveLength(1);
    await eventually(() => expect(suite.kinds(first.build!.id)).toContain("build.submitted"));
    expect(suite.kinds(first.build!.id).filter((kind) => kind === "build.submitted")).toHaveLength(1);
  });

  it("makes one build of 32 at once, and does not disturb others of the same moment", async () => {
    const [user, other] = await Promise.all([suite.accounts.aUser("parallel"), suite.accounts.aUser("beside")]);
    const second = await suite.replica();
    const key = aKey();
    const repeated = Array.from({ length: 32 }, (_, nth) => send(user, key, {}, nth % 2 ? second.builds : undefined));
    const others = Array.from({ length: 32 }, () => send(other, ""));
    const made = await Promise.all(repeated);
    expect(new Set(made.map(({ build }) => build!.id)).size).toBe(1);
    expect(made.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(new Set((await Promise.all(others)).map(({ build }) => build!.number)).size).toBe(32);
    expect(await stored(user.id)).toHaveLength(1);
  });

  it("is not confirmed with a build that MongoDB has taken back", async () => {
    const user = await suite.accounts.aUser("taken-back");
    const key = aKey();
    const { build } = await send(user, key);
    const real = buildStore(suite.database(), () => {});
    const forgetful: Context["builds"] = {
      ...real,
      async confirmKey(found) {
        await suite.database().collection<BuildDoc>("builds").deleteOne({ _id: found._id });
        return real.confirmKey(found);
      },
    };
    await using replica = await suite.startService({ builds: forgetful });
    await using peer = connect(`127.0.0.1:${replica.port}`);
    expect(await fault(send(user, key, {}, clients(peer).builds))).toMatchObject({ code: "unavailable" });
    const again = await send(user, key);
    expect([again.replayed, again.build!.number]).toEqual([false, build!.number + 1]);
  });

  it("takes one number, although different requests share its key at the same moment", async () => {
    const user = await suite.accounts.aUser("differing");
    const key = aKey();
    const all = await Promise.allSettled(
      Array.from({ length: 8 }, (_, nth) => send(user, key, { manifest: `${manifest}namespace: at-once-${nth}\n` })),
    );
    expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const { build } = await send(user, "");
    expect(build!.number).toBe(2);
  });

  it("makes one matrix of 8 at once", async () => {
    const user = await suite.accounts.aUser("matrices");
    const key = aKey();
    const made = await Promise.all(Array.from({ length: 8 }, () => send(user, key, { manifest: matrix })));
    expect(new Set(made.map(({ build }) => build!.id)).size).toBe(1);
    const docs = await stored(user.id);
    expect(docs.map(({ group }) => group!.index)).toEqual([0, 1, 2]);
    expect(docs.map(({ idempotency }) => idempotency !== undefined)).toEqual([true, false, false]);
  });

  it.each([
    ["manifest", { manifest: `${manifest}\n` }],
    ["comment", { comment: "other" }],
    ["tags", { tags: ["other"] }],
    ["variables", { variables: { A: "1" } }],
  ])("is refused if its %s differs", async (_what, more) => {
    const key = aKey();
    const { build } = await send(suite.users.ann, key);
    const before = await stored(suite.users.ann.id);
    expect(await fault(send(suite.users.ann, key, more))).toMatchObject({
      code: "precondition",
      message: expect.stringContaining("use a new key"),
    });
    expect(await stored(suite.users.ann.id)).toHaveLength(before.length);
    expect((await send(suite.users.ann, key)).build!.id).toBe(build!.id);
  });

  it("makes another build for another user, and for a request that has failed", async () => {
    const key = aKey();
    expect(await fault(send(suite.users.ann, key, { manifest: "" }))).toMatchObject({ code: "invalid" });
    const anns = await send(suite.users.ann, key);
    const bobs = await send(suite.users.bob, key, { comment: "bob's" });
    expect([anns.replayed, bobs.replayed]).toEqual([false, false]);
    expect(bobs.build!.userId).toBe(suite.users.bob.id);
  });

  it("is not_found if the caller may no longer see the build", async () => {
    const { ann, bob } = suite.users;
    const namespace = await suite.accounts.aNamespace(ann, "left");
    await crons.invite(ann, namespace, bob);
    const key = aKey();
    const there = { manifest: `namespace: left@${ann.username}${manifest}` };
    await send(bob, key, there);
    await suite.as(bob, () => suite.accounts.namespaces.leaveNamespace({ namespaceId: namespace.id }));
    expect(await fault(send(bob, key, there))).toMatchObject({ code: "not_found" });
  });
});

it("the key is not stored, and a build without one stores nothing about it", async () => {
  const user = await suite.accounts.aUser("plain");
  await send(user, "a-recognizable-key");
  await send(user, "");
  const [keyed, plain] = await stored(user.id);
  expect(JSON.stringify(keyed)).not.toContain("a-recognizable-key");
  expect(keyed!.idempotency).toEqual({ key: expect.any(String), request: expect.any(String) });
  expect(plain).not.toHaveProperty("idempotency");
});

it("a repeated restart and a repeated run of a cron job return the first one's build", async () => {
  const { ann, bob } = suite.users;
  const namespace = await suite.accounts.aNamespace(ann, "repeats");
  await crons.invite(ann, namespace, bob);
  const cron = await crons.create(ann, { manifest: `namespace: repeats${manifest}` });
  const idempotencyKey = aKey();
  const run = (user: User) => suite.as(user, () => suite.crons.runCron({ id: cron.id, idempotencyKey }));
  const runs = await Promise.all(Array.from({ length: 8 }, () => run(ann)));
  expect(new Set(runs.map(({ build }) => build!.id)).size).toBe(1);
  const bobs = await run(bob);
  expect([bobs.replayed, bobs.build!.id === runs[0]!.build!.id]).toEqual([false, false]);
  expect((await run(bob)).build!.id).toBe(bobs.build!.id);
  expect(await fault(send(ann, idempotencyKey))).toMatchObject({ code: "precondition" });

  const ref = { userId: ann.id, number: runs[0]!.build!.number };
  await suite.as(ann, () => suite.builds.killBuild({ ref }));
  const restart = (key: string, variables = {}) =>
    suite.as(ann, () => suite.builds.restartBuild({ ref, restartOf: "", variables, idempotencyKey: key }));
  const key = aKey();
  const first = await restart(key);
  expect(await restart(key)).toMatchObject({ replayed: true, build: { id: first.build!.id } });
  expect(await fault(restart(key, { A: "1" }))).toMatchObject({ code: "precondition" });
  await suite.as(ann, () => suite.crons.deleteCron({ id: cron.id }));
  expect((await run(ann)).build!.id).toBe(runs[0]!.build!.id);
});

describe("makes one build if the process dies", () => {
  const processDied = () => new Error("The process died");

  it.each([
    ["before it stores the build", manifest, false, 1],
    ["between storing and answering", manifest, true, 1],
    ["between storing a matrix and answering", matrix, true, 3],
  ])("%s", async (what, text, stores, count) => {
    const user = await suite.accounts.aUser(`dying-${what.length}`);
    await using mongo = await openMongo(suite.names.mongoUrl, `${suite.names.mongoDb}_builds`);
    const real = buildStore(mongo.db, () => {});
    const dying = gate();
    const builds: Context["builds"] = {
      ...real,
      async insert(docs) {
        if (stores) await real.insert(docs);
        dying.pass();
        throw processDied();
      },
    };
    await using victim = await suite.startService({ builds });
    await using peer = connect(`127.0.0.1:${victim.port}`);
    const key = aKey();
    const lost = fault(send(user, key, { manifest: text }, clients(peer).builds));
    await dying.reached;
    expect(await lost).toMatchObject({ code: "internal" });
    const { build, replayed } = await send(user, key, { manifest: text });
    expect(replayed).toBe(stores);
    const docs = await stored(user.id);
    expect(docs.map(({ _id }) => _id)[0]).toBe(build!.id);
    expect(docs).toHaveLength(count);
  });

  it.each([
    ["before the first build of a matrix is stored", 0],
    ["after the first build of a matrix is stored", 1],
  ])("%s", async (_what, count) => {
    const user = await suite.accounts.aUser(`halfway-${count}`);
    const key = aKey();
    await send(user, key, { manifest: matrix });
    const docs = await stored(user.id);
    const lost = docs.slice(count).map(({ _id }) => _id);
    await suite
      .database()
      .collection<BuildDoc>("builds")
      .deleteMany({ _id: { $in: lost } });
    const groups = suite.database().collection<{ _id: number; docs: BuildDoc[] }>("groups");
    await groups.insertOne({ _id: docs[0]!._id, docs });
    const { build, replayed } = await send(user, key, { manifest: matrix });
    expect(replayed).toBe(count > 0);
    if (replayed) expect(await stored(user.id)).toHaveLength(3);
    const store = buildStore(suite.database(), () => {});
    while ((await groups.countDocuments()) > 0) await store.completeGroups(async () => {});
    expect((await stored(user.id)).map(({ group }) => [group!.id, group!.index])).toEqual(
      [0, 1, 2].map((index) => [build!.id, index]),
    );
  });
});
