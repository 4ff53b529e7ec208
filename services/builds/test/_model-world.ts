import { connectBus } from "@ci/kit/bus/bus";
import { type Blobs, blobs } from "@ci/kit/bytes/blobs";
import { databaseClock } from "@ci/kit/mongo/clock";
import { openMongo } from "@ci/kit/mongo/mongo";
import { relay } from "@ci/kit/mongo/outbox";
import { createLog } from "@ci/kit/process/log";
import { anonymous, runAs } from "@ci/kit/rpc/caller";
import { BuildServiceDefinition } from "@ci/proto/builds/v1/builds";
import { type Assignment, QueueServiceDefinition } from "@ci/proto/builds/v1/queue";
import type { Event } from "@ci/proto/events/v1/events";
import type { Accounts } from "@ci/testkit/accounts";
import { collectEvents } from "@ci/testkit/collect-events";
import { eventually } from "@ci/testkit/eventually";
import { connect } from "@ci/testkit/identities";
import { leased } from "@ci/testkit/leased";
import type { Suite } from "@ci/testkit/suite";
import { discarding } from "../src/actions/discard.js";
import { wakeupsOver } from "../src/actions/output/wakeups.js";
import type { Config } from "../src/config.js";
import type { Context } from "../src/context.js";
import { requeueingLost } from "../src/loops/requeue-lost.js";
import { start } from "../src/service.js";
import { type BuildStore, buildStore } from "../src/store/builds.js";
import { outputStore } from "../src/store/output.js";
import { lineStore } from "../src/store/queue/line.js";
import { elapse } from "./_elapse.js";
import { type BuildModel, isFinal, killBuild, loseRunner, textOf } from "./_model.js";
import { configOf } from "./_suite.js";

export const leaseMs = 600_000;
export const maxReturns = 2;

/** The outcomes that builds have reached in all runs. Random steps that never get far prove little. */
export const reachedOutcomes = new Set<string>();

/** A real build and its model. */
export interface Pair {
  readonly model: BuildModel;
  /** What runners have received, oldest first. */
  readonly claims: Assignment[];
}

/** The service, a clock that only the tests advance, and the builds of this run. */
export interface World extends AsyncDisposable {
  builds: ReturnType<typeof clientsOf>["builds"];
  queue: ReturnType<typeof clientsOf>["queue"];
  readonly users: readonly number[];
  nameOf(userId: number): string;
  pairs: Pair[];
  now(): number;
  as<T>(userId: number, work: () => Promise<T>): Promise<T>;
  restart(): Promise<void>;
  /** Advances the clock, and requeues builds whose lease has expired. */
  advanceTime(ms: number): Promise<void>;
  eventsOf(buildId: number): Event[];
}

const clientsOf = (peer: ReturnType<typeof connect>, secrets: Map<string, string>) => ({
  builds: peer.client(BuildServiceDefinition),
  queue: leased(peer.client(QueueServiceDefinition), secrets),
});

export const refOf = ({ userId, number }: BuildModel) => ({ userId, number });

/** Prepares the loop that takes builds back from silent runners. Like another replica, it runs beside the service. */
export async function startLostPass(
  { mongoUrl, natsUrl, subjectPrefix }: Suite,
  config: Config,
  now: () => Date,
  watching = (builds: BuildStore) => builds,
  watchingContents = (contents: Blobs) => contents,
) {
  const log = createLog("pass", "silent");
  const mongo = await openMongo(mongoUrl, config.mongoDb);
  const bus = await connectBus(natsUrl, subjectPrefix, "pass", log);
  const stopping = new AbortController();
  const { nudge, done } = relay([mongo.db.collection<never>("builds")], bus, { signal: stopping.signal, log });
  const contents = watchingContents(blobs(mongo.db, "artifacts"));
  const discard = discarding({ contents, tasks: new Set(), signal: stopping.signal });
  const queue = { builds: watching(buildStore(mongo.db, nudge)), line: lineStore(mongo.db) };
  const stores = { ...queue, output: outputStore(mongo.db), contents, discard };
  let steppedMs = 0;
  const clock = await databaseClock(mongo.db, () => performance.timeOrigin + performance.now() - steppedMs);
  const ctx = { ...stores, db: mongo.db, bus, wakeups: wakeupsOver(bus), config, now, clock, log };
  return {
    db: mongo.db,
    run: requeueingLost(ctx as never as Context),
    /** Sets the clock of MongoDB, as seen by this pass and by all leases. */
    stepClock(ms: number): Promise<void> {
      steppedMs += ms;
      return elapse(mongo.db, ms);
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await done;
      await bus[Symbol.asyncDispose]();
      await mongo[Symbol.asyncDispose]();
    },
  };
}

/** Starts the builds service with its own database. */
export async function startWorld(shared: Suite, accounts: Accounts, name: string): Promise<World> {
  // Nothing crashes MongoDB here. Writes that do not wait for the disk are many times faster.
  const names = { ...shared, mongoUrl: `${shared.mongoUrl}/?journal=false`, mongoDb: `${shared.mongoDb}_${name}` };
  Object.assign(names, { subjectPrefix: `${shared.subjectPrefix}${name}` });
  const collector = await collectEvents(names);
  let nowMs = Date.now();
  const now = () => new Date(nowMs);
  const config = configOf(names, accounts.address, { leaseMs, renewEveryMs: leaseMs / 3, maxReturns });
  const secrets = new Map<string, string>();
  const boot = async () => {
    const service = await start(config, { now });
    const peer = connect(`127.0.0.1:${service.port}`);
    const stop = async () => {
      await peer[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    };
    return { ...clientsOf(peer, secrets), stop };
  };
  let running = await boot();
  const pass = await startLostPass(names, config, now);
  const createdUsers = await Promise.all([1, 2, 3].map((n) => accounts.aUser(`${name}${n}`)));
  const users = createdUsers.map(({ id }) => id);
  const world: World = {
    builds: running.builds,
    queue: running.queue,
    users,
    nameOf: (userId) => createdUsers.find(({ id }) => id === userId)!.username,
    pairs: [],
    now: () => nowMs,
    as: (userId, work) => runAs({ ...anonymous(), userId }, work),
    async restart() {
      await running.stop();
      running = await boot();
      world.builds = running.builds;
      world.queue = running.queue;
    },
    async advanceTime(ms) {
      nowMs += ms;
      await elapse(pass.db, ms);
      const silent = world.pairs.filter(({ model }) => model.status === "running" && model.leaseUntil < nowMs);
      for (const { model } of silent) loseRunner(model, nowMs, maxReturns);
      await pass.run();
      for (const pair of silent) await compare(world, pair);
    },
    eventsOf(buildId) {
      // A restart may publish an event twice, with the same id.
      const byId = new Map(collector.events.map((event) => [event.id, event]));
      return [...byId.values()].filter((event) => event.buildId === buildId);
    },
    async [Symbol.asyncDispose]() {
      await pass[Symbol.asyncDispose]();
      await running.stop();
      await collector[Symbol.asyncDispose]();
    },
  };
  return world;
}

const msOf = (date: Date | undefined) => date?.getTime();

/** Expects that the service shows the build, its jobs and their output exactly as the model has them. */
export async function compare(world: World, { model }: Pair): Promise<void> {
  const request = { ref: refOf(model), search: "" };
  const { build, jobs } = await world.as(model.userId, () => world.builds.listJobs(request));
  const shown = {
    status: build!.status,
    tags: build!.tags.map(({ name }) => name).sort(),
    pinned: build!.pinned,
    startedAt: msOf(build!.startedAt),
    finishedAt: msOf(build!.finishedAt),
    reason: build!.reason,
    outputBytes: build!.outputBytes,
    comment: build!.trigger?.comment,
    queued: build!.queue !== undefined,
    jobs: jobs.map((job) => ({
      status: job.status,
      startedAt: msOf(job.startedAt),
      finishedAt: msOf(job.finishedAt),
      exitCode: job.exitCode,
      reason: job.reason,
      output: job.output ?? "",
    })),
  };
  expect(shown).toEqual({
    status: model.status,
    tags: [...model.tags].sort(),
    pinned: model.pinned,
    startedAt: model.startedAt,
    finishedAt: model.finishedAt,
    reason: model.reason,
    outputBytes: Buffer.byteLength(textOf(model)),
    comment: model.comment,
    queued: model.status === "queued",
    jobs: model.jobs.map(({ plan: _, text: output, ...job }) => ({
      ...{ startedAt: undefined, finishedAt: undefined, exitCode: undefined, reason: undefined },
      ...job,
      output,
    })),
  });
}

/** Compares everything that callers can see of this run's builds, then ends the builds and checks their events. */
export async function settle(world: World): Promise<void> {
  for (const pair of world.pairs) {
    await compare(world, pair);
    await compareContents(world, pair);
  }
  for (const { model } of world.pairs) {
    reachedOutcomes.add(model.status);
    reachedOutcomes.add(`returned ${model.returns} times`);
    if (textOf(model).includes("no attempts left")) reachedOutcomes.add("no attempts left");
    if (textOf(model).includes("machine stayed")) reachedOutcomes.add("ended by its verdict");
    if (model.parts.size > 0) reachedOutcomes.add("side by side");
    if (model.jobs.some(({ startedAt, plan }) => startedAt !== undefined && plan.on?.join() === "failed"))
      reachedOutcomes.add("a job ran after a failure");
  }
  const unfinished = world.pairs.filter(({ model }) => !isFinal(model.status));
  for (const { model } of unfinished) {
    await world.as(model.userId, () => world.builds.killBuild({ ref: refOf(model) }));
    killBuild(model, world.now(), world.nameOf(model.userId));
  }
  await world.advanceTime(leaseMs + 1);
  for (const pair of unfinished) await compare(world, pair);
  await eventually(() => {
    for (const { model } of world.pairs) {
      const events = world.eventsOf(model.id);
      expect(events.map(({ kind }) => kind)).toEqual(model.events);
      expect(events.map(({ seq }) => seq)).toEqual(model.events.map((_, index) => index + 1));
      expect(model.events.filter((kind) => kind === "build.finished")).toHaveLength(1);
    }
  });
}

/** Compares the output and the artifacts of a build. */
async function compareContents(world: World, { model }: Pair): Promise<void> {
  const ref = refOf(model);
  const [{ build }, { artifacts }] = await world.as(model.userId, () =>
    Promise.all([world.builds.getBuild({ ref, brief: false }), world.builds.listArtifacts({ ref, search: "" })]),
  );
  expect(build!.output ?? "").toBe(textOf(model));
  expect(artifacts.map(({ name, size }) => [name, size])).toEqual(
    [...model.artifacts].sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** Ends all builds of a failed run, so that they do not disturb the next one. */
export async function endBuilds(world: World): Promise<void> {
  const builds = world.pairs.map(({ model }) => model);
  world.pairs = [];
  for (const build of builds) await world.as(build.userId, () => world.builds.killBuild({ ref: refOf(build) }));
  await world.advanceTime(leaseMs + 1);
  for (const build of builds)
    await eventually(async () => {
      const { build: current } = await world.as(build.userId, () =>
        world.builds.getBuild({ ref: refOf(build), brief: true }),
      );
      expect(isFinal(current!.status)).toBe(true);
    });
}
