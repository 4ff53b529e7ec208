import { sendUpload } from "@ci/kit/bytes/upload";
import { openMongo } from "@ci/kit/mongo/mongo";
import type { Assignment } from "@ci/proto/builds/v1/queue";
import type { BuildDoc } from "../../src/domain/build.js";
import { bootBuilds, fault } from "../_suite.js";

const suite = bootBuilds();

const bytes = async function* () {
  yield Buffer.from("text");
};

/** Every report about a lease, with this secret. */
function reportsOf({ buildId, epoch, jobs }: Assignment, leaseSecret: string | undefined) {
  const { queue } = suite;
  const held = { buildId, epoch, leaseSecret };
  const jobId = jobs[0]!.id;
  const artifactId = jobs[1]!.artifacts[0]!.id;
  return {
    renewLease: () => queue.renewLease(held),
    appendOutput: () => queue.appendOutput({ ...held, jobId, offset: 0, text: "forged\n" }),
    putArtifact: () => queue.putArtifact(sendUpload({ ...held, artifactId }, bytes())),
    finishJob: () => queue.finishJob({ ...held, jobId, outcome: "passed", offset: 0, text: "", placedObjectIds: [] }),
    recordVerdict: () => queue.recordVerdict({ ...held, jobId, outcome: "failed" }),
    readAssignedObject: async () => {
      for await (const _part of queue.readAssignedObject({ ...held, id: 1 }));
    },
    returnBuild: () => queue.returnBuild(held),
  };
}

/** Returns the stored build, without events: the relay removes them in its own time. */
async function stored(
  buildId: number,
  set?: Partial<BuildDoc>,
  unset?: Record<string, true>,
): Promise<Omit<BuildDoc, "outbox">> {
  await using mongo = await openMongo(suite.names.mongoUrl, `${suite.names.mongoDb}_builds`);
  const builds = mongo.db.collection<BuildDoc>("builds");
  if (set || unset)
    await builds.updateOne({ _id: buildId }, { ...(set && { $set: set }), ...(unset && { $unset: unset }) });
  return (await builds.findOne({ _id: buildId }, { projection: { outbox: 0 } }))!;
}

async function claimed(): Promise<Assignment> {
  await suite.submit(suite.users.ann);
  return (await suite.claim())!;
}

async function refusesAll(build: Assignment, leaseSecret: string | undefined): Promise<void> {
  const before = await stored(build.buildId);
  for (const [name, report] of Object.entries(reportsOf(build, leaseSecret)))
    expect([name, (await fault(report())).code]).toEqual([name, "conflict"]);
  expect(await stored(build.buildId)).toEqual(before);
}

test("every lease has a secret of its own, of which the build stores a hash only", async () => {
  const [one, two] = [await claimed(), await claimed()];
  expect(one.leaseSecret).toMatch(/^[\w-]{32}$/);
  expect(two.leaseSecret).not.toBe(one.leaseSecret);
  expect(JSON.stringify(await stored(one.buildId))).not.toContain(one.leaseSecret);
});

test("an epoch without the secret changes nothing", async () => {
  const [one, two] = [await claimed(), await claimed()];
  for (const secret of ["", "guessed", two.leaseSecret]) await refusesAll(one, secret);
});

test("the secret of an earlier claim changes nothing", async () => {
  const first = await claimed();
  await reportsOf(first, first.leaseSecret).returnBuild();
  const second = (await suite.claim("r2"))!;
  expect(second).toMatchObject({ buildId: first.buildId, epoch: 2 });
  await refusesAll(second, first.leaseSecret);
});

test("a lease that an older version gave has no secret and accepts none", async () => {
  const build = await claimed();
  await stored(build.buildId, undefined, { leaseHash: true });
  for (const secret of ["", build.leaseSecret]) await refusesAll(build, secret);
});

test("the secret opens every report", async () => {
  const build = await claimed();
  const {
    finishJob: _finish,
    recordVerdict: _record,
    readAssignedObject,
    ...reports
  } = reportsOf(build, build.leaseSecret);
  expect(await fault(readAssignedObject())).toMatchObject({ code: "not_found" });
  // The last one returns the build.
  for (const report of Object.values(reports)) await report();
  expect(await stored(build.buildId)).toMatchObject({ status: "queued", returns: 1 });
  const again = (await suite.claim())!;
  const { recordVerdict, finishJob } = reportsOf(again, again.leaseSecret);
  await recordVerdict();
  await finishJob();
  expect((await stored(build.buildId)).jobs.map(({ status }) => status)).toEqual(["passed", "running", "queued"]);
});
