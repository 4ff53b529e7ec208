import { openMongo } from "@ci/kit/mongo/mongo";
import { eventually } from "@ci/testkit/eventually";
import { claim } from "../src/domain/moves.js";
import { lose } from "../src/domain/take-back.js";
import { type BuildStore, buildStore } from "../src/store/builds.js";
import { ensureAllIndexes } from "../src/store/indexes.js";
import { aBuild } from "./_build.js";
import { elapse } from "./_elapse.js";
import { startLostPass } from "./_model-world.js";
import { bootBuilds, fault, leaseMs } from "./_suite.js";

const suite = bootBuilds();

const get = async (number: number) => {
  const ref = { userId: suite.users.ann.id, number };
  return (await suite.as(suite.users.ann, () => suite.builds.getBuild({ ref, brief: false }))).build!;
};

it("a build whose runner went silent is requeued, and that runner is rejected", async () => {
  const { number } = await suite.submit(suite.users.ann);
  const lost = (await suite.claim("silent"))!;
  await suite.finish(lost, 0, "passed", "first try\n", 0);
  await suite.loseRunners();
  await eventually(async () => expect((await get(number)).status).toBe("queued"));
  const build = await get(number);
  expect(build.tags.map((tag) => tag.name)).toEqual(["orphaned"]);
  expect(build.output).toBe("first try\nRunner lost, build queued again (1 of 2)\n");
  expect(await fault(suite.finish(lost, 1, "passed"))).toMatchObject({ code: "conflict" });

  const requeued = (await suite.claim("second"))!;
  expect(requeued).toMatchObject({ buildId: lost.buildId, epoch: 2, outputBytes: build.outputBytes });
  expect(await fault(suite.queue.renewLease({ buildId: lost.buildId, epoch: lost.epoch }))).toMatchObject({
    code: "conflict",
  });
  await suite.finish(requeued, 0, "failed");
  await eventually(() =>
    expect(suite.kinds(build.id)).toEqual(["build.submitted", "build.started", "build.started", "build.finished"]),
  );
});

it("the pass rests only while no build runs", async () => {
  await using pass = await startLostPass(suite.names, suite.config, suite.now);
  expect(await pass.run()).toBe(0);
  await suite.submit(suite.users.ann);
  const assignment = (await suite.claim())!;
  expect(await pass.run()).toBeUndefined();
  await suite.finish(assignment, 0, "failed");
  expect(await pass.run()).toBe(0);
});

describe("in the process that claimed a build and has not read it since", () => {
  const id = 1;
  const claimer = { runnerId: "r1", leaseHash: "h" };

  /** Claims a build in a database without other processes. */
  async function claimed(name: string) {
    let builds: BuildStore | undefined;
    const config = { ...suite.config, mongoDb: `${suite.names.mongoDb}_${name}` };
    const pass = await startLostPass(suite.names, config, suite.now, (store) => {
      builds = store;
      return store;
    });
    await ensureAllIndexes(pass.db);
    await builds!.insert([aBuild({ _id: id })]);
    await builds!.change(id, (doc) => claim(doc, claimer, leaseMs, suite.now()));
    return { pass, builds: builds! };
  }

  it("the first pass requeues the build", async () => {
    const { pass, builds } = await claimed("first");
    await using _ = pass;
    await elapse(pass.db, leaseMs + 1_000);
    expect(await pass.run()).toBe(1);
    expect(await builds.byId(id)).toMatchObject({ status: "queued", returns: 1 });
  });

  it("the build stays with its runner if the lease was renewed at another replica since it was read as expired", async () => {
    const { pass, builds } = await claimed("renewed");
    await using _ = pass;
    await elapse(pass.db, leaseMs + 1_000);
    const [lost] = await builds.lost();
    const other = buildStore(pass.db, () => undefined);
    expect(await other.renew(id, 1, claimer.leaseHash, leaseMs)).toBeDefined();
    await builds.change(id, (doc) => lose(doc, lost!.lease, { returns: 2, tagId: 1 }, suite.now()));
    expect(await builds.byId(id)).toMatchObject({ status: "running", returns: 0, epoch: 1 });
  });

  it.each([
    ["forward", 3_600_000],
    ["back", -3_600_000],
  ])("a runner has a whole lease to renew after the clock of MongoDB is set %s by an hour", async (name, ms) => {
    const { pass, builds } = await claimed(name);
    await using _ = pass;
    await pass.stepClock(ms);
    await eventually(async () => {
      expect(await pass.run()).toBeUndefined();
      const endsInMs = (await builds.firstLeaseEndsInMs())!;
      expect([endsInMs > leaseMs / 2, endsInMs <= leaseMs]).toEqual([true, true]);
    });
    expect(await builds.byId(id)).toMatchObject({ status: "running", returns: 0, epoch: 1 });
    await elapse(pass.db, leaseMs + 1_000);
    expect(await pass.run()).toBe(1);
  });

  it("a clock of MongoDB that keeps changing does not keep the build", async () => {
    const { pass, builds } = await claimed("restless");
    await using _ = pass;
    await eventually(async () => {
      await pass.stepClock(3_600_000);
      await pass.run();
      expect(await builds.byId(id)).toMatchObject({ status: "queued", returns: 1 });
    });
  });
});

it("a build stays with its runner while its lease is renewed", async () => {
  const { number } = await suite.submit(suite.users.ann);
  const assignment = (await suite.claim())!;
  await suite.elapse((2 / 3) * leaseMs);
  expect(await suite.queue.renewLease({ buildId: assignment.buildId, epoch: assignment.epoch })).toEqual({
    kill: false,
  });
  await suite.elapse((2 / 3) * leaseMs);
  expect((await suite.queue.listLeases({ runnerId: "r1" })).leases).toEqual([
    { buildId: assignment.buildId, epoch: assignment.epoch },
  ]);
  expect((await get(number)).status).toBe("running");
  await suite.finish(assignment, 0, "failed");
});

it("a build fails after losing more runners than allowed", async () => {
  const { number, id } = await suite.submit(suite.users.ann);
  for (let loss = 1; loss <= 3; loss++) {
    await eventually(async () => expect(await suite.claim(`r${loss}`)).toBeDefined());
    await suite.loseRunners();
    const expected = loss < 3 ? "queued" : "failed";
    await eventually(async () => expect((await get(number)).status).toBe(expected));
  }
  expect((await get(number)).output).toMatch(/\(2 of 2\)\nRunner lost, no attempts left\n$/);
  await eventually(() => expect(suite.kinds(id).filter((kind) => kind === "build.finished")).toHaveLength(1));
});

it("a lost build that cannot be requeued does not hold up the others, and waits before it is tried again", async () => {
  await using pass = await startLostPass(suite.names, suite.config, suite.now);
  const [broken, whole] = [await suite.submit(suite.users.ann), await suite.submit(suite.users.ann)];
  for (const runner of ["first", "second"]) await suite.claim(runner);
  await using mongo = await openMongo(suite.names.mongoUrl, `${suite.names.mongoDb}_builds`);
  const stored = mongo.db.collection<{ _id: number }>("builds");
  const damage = { $unset: { jobs: true }, $inc: { rev: 1 } } as const;
  expect((await stored.updateOne({ _id: broken.id }, damage)).modifiedCount).toBe(1);
  await suite.loseRunners();
  await eventually(async () => expect((await get(whole.number)).status).toBe("queued"));
  await eventually(async () => expect(await pass.run()).toBeUndefined());
  await stored.deleteOne({ _id: broken.id });
  await suite.finish((await suite.claim())!, 0, "failed");
});

it("a lost build is killed instead of requeued if a kill was requested", async () => {
  const { number } = await suite.submit(suite.users.ann);
  await suite.claim("silent");
  await suite.as(suite.users.ann, () => suite.builds.killBuild({ ref: { userId: suite.users.ann.id, number } }));
  await suite.loseRunners();
  await eventually(async () => expect((await get(number)).status).toBe("killed"));
});
