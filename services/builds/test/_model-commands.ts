import { Readable } from "node:stream";
import { sendUpload } from "@ci/kit/bytes/upload";
import type { Assignment } from "@ci/proto/builds/v1/queue";
import { eventually } from "@ci/testkit/eventually";
import fc from "fast-check";
import * as model from "./_model.js";
import { compare, leaseMs, type Pair, refOf, type World } from "./_model-world.js";
import { fault } from "./_suite.js";

/** One step. Any of them may come at any moment: what cannot be done then has to be refused, and to change nothing. */
export type Command = fc.AsyncCommand<object, World>;

/** What a manifest comes to: which of its jobs may fail (the first is create-driver), and its artifacts. */
const shapes = [
  { text: "driver: {type: os}", mayFail: [false], artifacts: [] },
  {
    text: `driver: {type: os}
stages: [make, test]
allow_failures: [test]
jobs:
- {stage: make, commands: [a], artifacts: [out.txt]}
- {stage: test, commands: [b], artifacts: [log.txt]}`,
    mayFail: [false, false, true],
    artifacts: ["log.txt", "out.txt"],
  },
  {
    text: `driver: {type: os}
stages: [make, test]
allow_failures: [make]
jobs:
- {stage: make, commands: [a]}
- {stage: make, commands: [b], artifacts: [out.txt]}
- {stage: test, commands: [c]}`,
    mayFail: [false, true, true, false],
    artifacts: ["out.txt"],
  },
] as const;

const index = fc.nat({ max: 50 });
const words = fc.constantFrom("a\n", "ö", "word word\n", "");
const tagNames = fc.subarray(["t1", "t2", "t3", "t4"]);

/** Steps that have run, over all runs. */
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

/** A step that is about one of the builds there are; with none it does nothing. */
const about = (name: string, at: number, run: (world: World, pair: Pair) => Promise<unknown>): Command =>
  command(`${name} #${at}`, async (world) => {
    const pair = world.pairs[at % (world.pairs.length || 1)];
    if (!pair) return;
    await run(world, pair);
    await compare(world, pair);
  });

/** A step of a runner: of the one that has the build or had it last, or with `old` of the one that had it before. */
const byRunner = (
  name: string,
  at: number,
  old: boolean,
  run: (world: World, pair: Pair, claim: Assignment, mayWrite: boolean) => Promise<unknown>,
): Command =>
  about(`${old ? "old " : ""}${name}`, at, async (world, pair) => {
    const claim = pair.claims.at(old ? -2 : -1);
    if (claim) await run(world, pair, claim, model.mayWrite(pair.model, claim.epoch));
  });

const refused = async (call: Promise<unknown>) => expect(await fault(call)).toMatchObject({ code: "conflict" });

const submit = fc.record({ user: fc.nat({ max: 2 }), shape: fc.nat({ max: 2 }), tags: tagNames }).map(
  ({ user, shape, tags }): Command =>
    command(`submit(${user}, ${shape}, ${tags})`, async (world) => {
      const { text, mayFail, artifacts } = shapes[shape]!;
      const userId = world.users[user]!;
      const comment = `says ${user}`;
      const ask = { manifest: text, comment, tags, complaints: {} };
      const { build } = await world.as(userId, () => world.builds.submitBuild(ask));
      const { id, number } = build!;
      const pair = { model: model.submitted({ userId, id, number, comment }, mayFail, tags, artifacts), claims: [] };
      world.pairs.push(pair);
      await compare(world, pair);
    }),
);

const claim = fc.nat({ max: 3 }).map((runner) =>
  command(`claim(${runner})`, async (world) => {
    const ask = { runnerId: `r${runner}`, drivers: ["os" as const] };
    const waits = world.pairs.some(({ model: { status } }) => status === "queued");
    // A requeued build's user joins the line just after the write that requeues the build.
    const { assignment } = await eventually(async () => {
      const answer = await world.queue.claimBuild(ask);
      expect(answer.assignment !== undefined).toBe(waits);
      return answer;
    });
    if (!assignment) return;
    const pair = world.pairs.find(({ model: { id } }) => id === assignment.buildId)!;
    const first = model.nextOf(
      world.pairs.map((one) => one.model),
      assignment.userId,
    );
    expect(pair.model.id).toBe(first?.id);
    model.claimed(pair.model, world.now(), leaseMs);
    expect(assignment).toMatchObject({ epoch: pair.model.epoch, outputBytes: Buffer.byteLength(pair.model.text) });
    pair.claims.push(assignment);
    await compare(world, pair);
  }),
);

const renew = fc.tuple(index, fc.boolean()).map(([at, old]) =>
  byRunner("renew", at, old, async (world, { model: build }, { buildId, epoch }, mayWrite) => {
    const call = world.queue.renewLease({ buildId, epoch });
    if (!mayWrite) return refused(call);
    expect(await call).toEqual({ kill: build.killWanted, killedBy: build.killedBy });
    build.leaseUntil = world.now() + leaseMs;
  }),
);

const say = fc
  .record({ at: index, old: fc.boolean(), text: words, twice: fc.boolean(), gap: fc.nat({ max: 1 }) })
  .map(({ at, old, text, twice, gap }) =>
    byRunner(`say(${JSON.stringify(text)}, ${twice}, ${gap})`, at, old, async (world, pair, claim, mayWrite) => {
      const { model: build } = pair;
      const job = Math.max(0, model.runningJob(build));
      const offset = Buffer.byteLength(build.text) + gap;
      const { buildId, epoch, jobs } = claim;
      const call = () => world.queue.appendOutput({ buildId, epoch, jobId: jobs[job]!.id, offset, text });
      if (text === "") return;
      if (!mayWrite || gap > 0) return refused(call());
      await call();
      if (twice) await call();
      model.said(build, job, text);
    }),
  );

const outcomes = fc.oneof(
  { weight: 6, arbitrary: fc.constant("passed" as const) },
  { weight: 2, arbitrary: fc.constant("failed" as const) },
  { weight: 1, arbitrary: fc.constantFrom("killed" as const, "timed_out" as const) },
);

const finish = fc
  .record({ at: index, old: fc.boolean(), outcome: outcomes, text: words, twice: fc.boolean() })
  .map(({ at, old, outcome, text, twice }) =>
    byRunner(`finish(${outcome}, ${JSON.stringify(text)}, ${twice})`, at, old, async (world, pair, claim, mayWrite) => {
      const { model: build } = pair;
      const job = model.runningJob(build);
      const { buildId, epoch, jobs } = claim;
      const jobId = jobs[Math.max(0, job)]!.id;
      const ask = { buildId, epoch, jobId, outcome, text, offset: Buffer.byteLength(build.text), placedObjectIds: [] };
      const isRepetition = epoch === build.epoch && model.over(build.status);
      if (isRepetition) return expect(await world.queue.finishJob(ask)).toEqual({ final: true });
      if (!mayWrite) return refused(world.queue.finishJob(ask));
      model.jobEnded(build, outcome, text, world.now());
      const final = model.over(build.status);
      expect(await world.queue.finishJob(ask)).toEqual({ final });
      if (twice) expect(await world.queue.finishJob(ask)).toEqual({ final });
    }),
  );

/** Ending a job whose turn has not come. */
const finishAhead = index.map((at) =>
  byRunner("finish ahead", at, false, async (world, { model: build }, { buildId, epoch, jobs }) => {
    const job = model.runningJob(build) + 1;
    if (build.status !== "running" || !jobs[job]) return;
    const ask = { buildId, epoch, jobId: jobs[job].id, outcome: "passed" as const, text: "", offset: 0 };
    await refused(world.queue.finishJob({ ...ask, placedObjectIds: [] }));
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
  about("kill", at, async (world, { model: build }) => {
    await world.as(build.userId, () => world.builds.killBuild({ ref: refOf(build) }));
    model.killed(build, world.now(), world.nameOf(build.userId));
  }),
);

const restart = index.map((at) =>
  about("restart", at, async (world, { model: old }) => {
    const call = world.as(old.userId, () => world.builds.restartBuild({ ref: refOf(old), restartOf: "url" }));
    if (!model.over(old.status)) return expect(await fault(call)).toMatchObject({ code: "invalid" });
    const { id, number } = (await call).build!;
    const { userId, comment } = old;
    const mayFail = old.jobs.map((job) => job.mayFail);
    const pair = {
      model: model.submitted({ userId, id, number, comment }, mayFail, old.tags, [...old.artifacts.keys()]),
      claims: [],
    };
    world.pairs.push(pair);
    await compare(world, pair);
  }),
);

const pin = fc.tuple(index, fc.boolean()).map(([at, pinned]) =>
  about(`pin(${pinned})`, at, async (world, { model: build }) => {
    await world.as(build.userId, () => world.builds.pinBuild({ ref: refOf(build), pinned }));
    if (build.pinned !== pinned) build.events.push(pinned ? "build.pinned" : "build.unpinned");
    build.pinned = pinned;
  }),
);

const tag = fc.tuple(index, tagNames).map(([at, names]) =>
  about(`tag(${names})`, at, async (world, { model: build }) => {
    await world.as(build.userId, () => world.builds.tagBuild({ ref: refOf(build), names }));
    if (names.some((name) => !build.tags.has(name))) build.events.push("build.tagged");
    for (const name of names) build.tags.add(name);
  }),
);

const untag = fc.tuple(index, fc.constantFrom("t1", "t2", "orphaned")).map(([at, name]) =>
  about(`untag(${name})`, at, async (world, { model: build }) => {
    const call = world.as(build.userId, () => world.builds.untagBuild({ ref: refOf(build), name }));
    if (!build.tags.delete(name)) return expect(await fault(call)).toMatchObject({ code: "not_found" });
    await call;
  }),
);

// No sum of them is so near to a lease that the time a test takes would decide.
const later = fc
  .constantFrom(1, 10, 0.4 * leaseMs, leaseMs + 1)
  .map((ms) => command(`later(${ms})`, (w) => w.later(ms)));
const restartService = fc.constant(command("restart the service", (world) => world.restart()));

/** Steps, each as often as it takes for builds to come far. */
export const anyCommand = fc.oneof(
  { weight: 40, arbitrary: submit },
  { weight: 70, arbitrary: claim },
  { weight: 50, arbitrary: renew },
  { weight: 70, arbitrary: say },
  { weight: 130, arbitrary: finish },
  { weight: 15, arbitrary: finishAhead },
  { weight: 30, arbitrary: artifact },
  { weight: 25, arbitrary: kill },
  { weight: 15, arbitrary: restart },
  { weight: 20, arbitrary: pin },
  { weight: 15, arbitrary: tag },
  { weight: 10, arbitrary: untag },
  { weight: 30, arbitrary: later },
  { weight: 1, arbitrary: restartService },
);
