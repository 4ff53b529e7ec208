import { Readable } from "node:stream";
import { sendUpload } from "@ci/kit/bytes/upload";
import type { Assignment } from "@ci/proto/builds/v1/queue";
import { eventually } from "@ci/testkit/eventually";
import fc from "fast-check";
import * as model from "./_model.js";
import { shapes } from "./_model-shapes.js";
import { compare, leaseMs, type Pair, refOf, type World } from "./_model-world.js";
import { fault } from "./_suite.js";

/** One step. Steps come in any order. The service must refuse an impossible one and change nothing. */
export type Command = fc.AsyncCommand<object, World>;

const index = fc.nat({ max: 50 });
const texts = fc.constantFrom("a\n", "ö", "word word\n", "");
const tagNames = fc.subarray(["t1", "t2", "t3", "t4"]);

/** The number of steps in all runs. */
export const steps = { count: 0 };

function command(name: string, run: (world: World) => Promise<unknown>): Command {
  return {
    check: () => true,
    async run(_, world) {
      steps.count++;
      await run(world);
    },
    toString: () => name,
  };
}

/** A step on the build with this index. Does nothing if there are no builds. */
const onBuild = (name: string, at: number, run: (world: World, pair: Pair) => Promise<unknown>): Command =>
  command(`${name} #${at}`, async (world) => {
    const pair = world.pairs[at % (world.pairs.length || 1)];
    if (!pair) return;
    await run(world, pair);
    await compare(world, pair);
  });

/** A step of the runner with the build's last claim, or with the one before if `old`. */
const byRunner = (
  name: string,
  at: number,
  old: boolean,
  run: (world: World, pair: Pair, claim: Assignment, mayWrite: boolean) => Promise<unknown>,
): Command =>
  onBuild(`${old ? "old " : ""}${name}`, at, async (world, pair) => {
    const claim = pair.claims.at(old ? -2 : -1);
    if (claim) await run(world, pair, claim, model.mayWrite(pair.model, claim.epoch));
  });

/** One of the running jobs, or the first job of a build that does not run. */
function aJob(build: model.BuildModel, which: number): { job: model.JobModel; at: number } {
  const running = model.runningJobs(build);
  const job = running[which % (running.length || 1)] ?? build.jobs[0]!;
  return { job, at: build.jobs.indexOf(job) };
}

/** Where the next piece of a job begins. */
const offsetsOf = (build: model.BuildModel, job: model.JobModel) =>
  build.parts.has(job)
    ? { offset: 0, jobOffset: Buffer.byteLength(job.text) }
    : { offset: Buffer.byteLength(model.textOf(build)) };

const refused = async (call: Promise<unknown>) => expect(await fault(call)).toMatchObject({ code: "conflict" });

const submit = fc.record({ user: fc.nat({ max: 2 }), shape: fc.constantFrom(0, 1, 2, 3, 3), tags: tagNames }).map(
  ({ user, shape, tags }): Command =>
    command(`submit(${user}, ${shape}, ${tags})`, async (world) => {
      const { text, plans, artifacts } = shapes[shape]!;
      const userId = world.users[user]!;
      const comment = `says ${user}`;
      const request = { manifest: text, comment, tags, complaints: {} };
      const { build } = await world.as(userId, () => world.builds.submitBuild(request));
      const { id, number } = build!;
      const pair = { model: model.submitBuild({ userId, id, number, comment }, plans, tags, artifacts), claims: [] };
      world.pairs.push(pair);
      await compare(world, pair);
    }),
);

const claim = fc.nat({ max: 3 }).map((runner) =>
  command(`claim(${runner})`, async (world) => {
    // The last one is a runner of an earlier version.
    const followsOrder = runner < 3;
    const request = { runnerId: `r${runner}`, drivers: ["os" as const], followsOrder };
    const isQueued = world.pairs.some(({ model: { status } }) => status === "queued");
    // A requeued build's user joins the line just after the write that requeues the build.
    const { assignment } = await eventually(async () => {
      const answer = await world.queue.claimBuild(request);
      expect(answer.assignment !== undefined).toBe(isQueued);
      return answer;
    });
    if (!assignment) return;
    const pair = world.pairs.find(({ model: { id } }) => id === assignment.buildId)!;
    const first = model.nextOf(
      world.pairs.map((pair) => pair.model),
      assignment.userId,
    );
    expect(pair.model.id).toBe(first?.id);
    model.claimBuild(pair.model, world.now(), leaseMs, followsOrder);
    expect(assignment).toMatchObject({
      epoch: pair.model.epoch,
      outputBytes: Buffer.byteLength(model.textOf(pair.model)),
    });
    pair.claims.push(assignment);
    await compare(world, pair);
  }),
);

const renew = fc.tuple(index, fc.boolean()).map(([at, old]) =>
  byRunner("renew", at, old, async (world, { model: build }, { buildId, epoch }, mayWrite) => {
    const call = world.queue.renewLease({ buildId, epoch });
    if (!mayWrite) return refused(call);
    expect(await call).toEqual({ kill: build.killRequested, killedBy: build.killedBy });
    build.leaseUntil = world.now() + leaseMs;
  }),
);

const append = fc
  .record({
    ...{ at: index, which: index, old: fc.boolean(), text: texts, twice: fc.boolean(), gap: fc.nat({ max: 1 }) },
  })
  .map(({ at, which, old, text, twice, gap }) =>
    byRunner(`append(${JSON.stringify(text)}, ${twice}, ${gap})`, at, old, async (world, pair, claim, mayWrite) => {
      const { model: build } = pair;
      const { job, at: jobAt } = aJob(build, which);
      const { offset, jobOffset } = offsetsOf(build, job);
      const { buildId, epoch, jobs } = claim;
      const piece = { offset: offset + gap, jobOffset: jobOffset === undefined ? undefined : jobOffset + gap, text };
      const call = () => world.queue.appendOutput({ buildId, epoch, jobId: jobs[jobAt]!.id, ...piece });
      if (text === "") return;
      if (!mayWrite || gap > 0) return refused(call());
      await call();
      if (twice) await call();
      model.appendOutput(build, job, text);
    }),
  );

const outcomes = fc.oneof(
  { weight: 6, arbitrary: fc.constant("passed" as const) },
  { weight: 2, arbitrary: fc.constant("failed" as const) },
  { weight: 1, arbitrary: fc.constantFrom("killed" as const, "timed_out" as const) },
);

const finish = fc
  .record({
    ...{ at: index, which: index, old: fc.boolean(), outcome: outcomes, text: texts, twice: fc.boolean() },
    exitCode: fc.constantFrom(undefined, 0, 3, 137),
    reason: fc.constantFrom(undefined, "exit code 3", "a line\nand another"),
  })
  .map(({ at, which, old, outcome, text, twice, exitCode, reason }) =>
    byRunner(`finish(${outcome}, ${JSON.stringify(text)}, ${twice})`, at, old, async (world, pair, claim, mayWrite) => {
      const { model: build } = pair;
      const { job, at: jobAt } = aJob(build, which);
      const { buildId, epoch, jobs } = claim;
      const jobId = jobs[jobAt]!.id;
      const request = {
        buildId,
        epoch,
        jobId,
        ...{ outcome, text, exitCode, reason },
        ...offsetsOf(build, job),
        placedObjectIds: [],
        followsOrder: build.followsOrder,
      };
      const isRepetition = epoch === build.epoch && model.isFinal(build.status);
      if (isRepetition) return expect(await world.queue.finishJob(request)).toEqual({ final: true });
      if (!mayWrite) return refused(world.queue.finishJob(request));
      model.endJob(build, job, { outcome, text, exitCode, reason: reason?.replace("\n", " ") }, world.now());
      const final = model.isFinal(build.status);
      expect(await world.queue.finishJob(request)).toEqual({ final });
      if (twice) expect(await world.queue.finishJob(request)).toEqual({ final });
    }),
  );

const verdict = fc
  .record({ at: index, which: index, old: fc.boolean(), outcome: outcomes, reason: fc.constantFrom(undefined, "why") })
  .map(({ at, which, old, outcome, reason }) =>
    byRunner(`verdict(${outcome})`, at, old, async (world, { model: build }, { buildId, epoch, jobs }, mayWrite) => {
      // Runners of earlier versions record none.
      if (!build.followsOrder) return;
      const { at: jobAt } = aJob(build, which);
      const end = { epoch, outcome, reason };
      const call = world.queue.recordVerdict({ buildId, jobId: jobs[jobAt]!.id, ...end });
      if (!mayWrite || !model.isEndedBy(build, { ...end, index: jobAt })) return refused(call);
      await call;
      build.verdict = { ...end, index: jobAt };
    }),
  );

/** Tries to finish a job before its turn. */
const finishAhead = index.map((at) =>
  byRunner("finish ahead", at, false, async (world, { model: build }, { buildId, epoch, jobs }) => {
    const job = build.jobs.findIndex(({ status }) => status === "queued");
    if (build.status !== "running" || !jobs[job]) return;
    const request = { buildId, epoch, jobId: jobs[job].id, outcome: "passed" as const, text: "", offset: 0 };
    await refused(world.queue.finishJob({ ...request, placedObjectIds: [] }));
  }),
);

const artifact = fc
  .record({ at: index, old: fc.boolean(), which: fc.nat({ max: 1 }), bytes: fc.nat({ max: 9 }) })
  .map(({ at, old, which, bytes }) =>
    byRunner(`artifact(${which}, ${bytes})`, at, old, async (world, { model: build }, claim, mayWrite) => {
      const all = claim.jobs.flatMap((job) => job.artifacts);
      const { id: artifactId, name } = all[which % (all.length || 1)] ?? {};
      if (artifactId === undefined) return;
      const header = { buildId: claim.buildId, epoch: claim.epoch, artifactId };
      const call = world.queue.putArtifact(sendUpload(header, Readable.from([Buffer.alloc(bytes)])));
      if (!mayWrite) return refused(call);
      expect(await call).toEqual({ size: bytes });
      build.artifacts.set(name!, bytes);
    }),
  );

const kill = index.map((at) =>
  onBuild("kill", at, async (world, { model: build }) => {
    await world.as(build.userId, () => world.builds.killBuild({ ref: refOf(build) }));
    model.killBuild(build, world.now(), world.nameOf(build.userId));
  }),
);

const restart = index.map((at) =>
  onBuild("restart", at, async (world, { model: old }) => {
    const call = world.as(old.userId, () => world.builds.restartBuild({ ref: refOf(old), restartOf: "url" }));
    if (!model.isFinal(old.status)) return expect(await fault(call)).toMatchObject({ code: "invalid" });
    const { id, number } = (await call).build!;
    const { userId, comment } = old;
    const plans = old.jobs.map((job) => job.plan);
    const pair = {
      model: model.submitBuild({ userId, id, number, comment }, plans, old.tags, [...old.artifacts.keys()]),
      claims: [],
    };
    world.pairs.push(pair);
    await compare(world, pair);
  }),
);

const pin = fc.tuple(index, fc.boolean()).map(([at, pinned]) =>
  onBuild(`pin(${pinned})`, at, async (world, { model: build }) => {
    await world.as(build.userId, () => world.builds.pinBuild({ ref: refOf(build), pinned }));
    if (build.pinned !== pinned) build.events.push(pinned ? "build.pinned" : "build.unpinned");
    build.pinned = pinned;
  }),
);

const tag = fc.tuple(index, tagNames).map(([at, names]) =>
  onBuild(`tag(${names})`, at, async (world, { model: build }) => {
    await world.as(build.userId, () => world.builds.tagBuild({ ref: refOf(build), names }));
    if (names.some((name) => !build.tags.has(name))) build.events.push("build.tagged");
    for (const name of names) build.tags.add(name);
  }),
);

const untag = fc.tuple(index, fc.constantFrom("t1", "t2", "orphaned")).map(([at, name]) =>
  onBuild(`untag(${name})`, at, async (world, { model: build }) => {
    const call = world.as(build.userId, () => world.builds.untagBuild({ ref: refOf(build), name }));
    if (!build.tags.delete(name)) return expect(await fault(call)).toMatchObject({ code: "not_found" });
    await call;
  }),
);

// No sum of these is close to a lease, so the duration of a test has no influence.
const advanceTime = fc
  .constantFrom(1, 10, 0.4 * leaseMs, leaseMs + 1)
  .map((ms) => command(`advanceTime(${ms})`, (world) => world.advanceTime(ms)));
const restartService = fc.constant(command("restart the service", (world) => world.restart()));

/** All steps. With these weights, most builds get far. */
export const anyCommand = fc.oneof(
  { weight: 40, arbitrary: submit },
  { weight: 70, arbitrary: claim },
  { weight: 50, arbitrary: renew },
  { weight: 70, arbitrary: append },
  { weight: 130, arbitrary: finish },
  { weight: 15, arbitrary: finishAhead },
  { weight: 25, arbitrary: verdict },
  { weight: 30, arbitrary: artifact },
  { weight: 25, arbitrary: kill },
  { weight: 15, arbitrary: restart },
  { weight: 20, arbitrary: pin },
  { weight: 15, arbitrary: tag },
  { weight: 10, arbitrary: untag },
  { weight: 30, arbitrary: advanceTime },
  { weight: 1, arbitrary: restartService },
);
