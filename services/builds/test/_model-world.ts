import { connectBus } from "@ci/kit/bus/bus";
import { blobs } from "@ci/kit/bytes/blobs";
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
import { wakeupsOver } from "../src/actions/wakeups.js";
import type { Config } from "../src/config.js";
import type { Context } from "../src/context.js";
import { requeueLost } from "../src/loops/requeue-lost.js";
import { start } from "../src/service.js";
import { buildStore } from "../src/store/builds.js";
import { lineStore } from "../src/store/line.js";
import { elapse } from "./_elapse.js";
import { type BuildModel, killed, lost, over } from "./_model.js";
import { configOf } from "./_suite.js";

export const leaseMs = 600_000;
export const mostReturns = 2;

/** What builds have come to, over all runs: random steps that never get far prove little. */
export const seen = new Set<string>();

/** A real build and what the model says it is. */
export interface Pair {
  readonly model: BuildModel;
  /** What runners were given, oldest first. */
  readonly claims: Assignment[];
}

/** The service, a clock that stands still until it is turned, and the builds of this run. */
export interface World extends AsyncDisposable {
  builds: ReturnType<typeof clientsOf>["builds"];
  queue: ReturnType<typeof clientsOf>["queue"];
  readonly users: readonly number[];
  nameOf(userId: number): string;
  pairs: Pair[];
  now(): number;
  as<T>(userId: number, work: () => Promise<T>): Promise<T>;
  restart(): Promise<void>;
  /** Lets time pass. A runner that has not renewed its lease in time loses the build. */
  later(ms: number): Promise<void>;
  eventsOf(buildId: number): Event[];
}

const clientsOf = (peer: ReturnType<typeof connect>, secrets: Map<string, string>) => ({
  builds: peer.client(BuildServiceDefinition),
  queue: leased(peer.client(QueueServiceDefinition), secrets),
});

export const refOf = ({ userId, number }: BuildModel) => ({ userId, number });

/** The pass that takes builds back from silent runners, as another replica would run it, whenever a step wants it. */
export async function lostPass({ mongoUrl, natsUrl, subjectPrefix }: Suite, config: Config, now: () => Date) {
  const log = createLog("pass", "silent");
  const mongo = await openMongo(mongoUrl, config.mongoDb);
  const bus = await connectBus(natsUrl, subjectPrefix, "pass", log);
  const stopping = new AbortController();
  const { nudge, done } = relay([mongo.db.collection<never>("builds")], bus, { signal: stopping.signal, log });
  const artifacts = blobs(mongo.db, "artifacts");
  const stores = { builds: buildStore(mongo.db, nudge), line: lineStore(mongo.db), artifacts };
  const ctx = { ...stores, db: mongo.db, bus, wakeups: wakeupsOver(bus), config, now };
  return {
    db: mongo.db,
    run: () => requeueLost(ctx as never as Context),
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await done;
      await bus[Symbol.asyncDispose]();
      await mongo[Symbol.asyncDispose]();
    },
  };
}

/** Starts the builds service with a database of its own, beside an accounts service. */
export async function startWorld(shared: Suite, accounts: Accounts, name: string): Promise<World> {
  // Nothing is cut off here: what is written need not wait for the disk, which makes it many times faster.
  const names = { ...shared, mongoUrl: `${shared.mongoUrl}/?journal=false`, mongoDb: `${shared.mongoDb}_${name}` };
  Object.assign(names, { subjectPrefix: `${shared.subjectPrefix}${name}` });
  const heard = await collectEvents(names);
  let nowMs = Date.now();
  const now = () => new Date(nowMs);
  const config = configOf(names, accounts.address, { leaseMs, renewEveryMs: leaseMs / 3, maxReturns: mostReturns });
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
  const pass = await lostPass(names, config, now);
  const made = await Promise.all([1, 2, 3].map((n) => accounts.aUser(`${name}${n}`)));
  const users = made.map(({ id }) => id);
  const world: World = {
    builds: running.builds,
    queue: running.queue,
    users,
    nameOf: (userId) => made.find(({ id }) => id === userId)!.username,
    pairs: [],
    now: () => nowMs,
    as: (userId, work) => runAs({ ...anonymous(), userId }, work),
    async restart() {
      await running.stop();
      running = await boot();
      world.builds = running.builds;
      world.queue = running.queue;
    },
    async later(ms) {
      nowMs += ms;
      await elapse(pass.db, ms);
      const silent = world.pairs.filter(({ model }) => model.status === "running" && model.leaseUntil < nowMs);
      for (const { model } of silent) lost(model, nowMs, mostReturns);
      await pass.run();
      for (const pair of silent) await compare(world, pair);
    },
    eventsOf(buildId) {
      // A restart may publish an event twice; consumers know it by its id.
      const byId = new Map(heard.events.map((event) => [event.id, event]));
      return [...byId.values()].filter((event) => event.buildId === buildId);
    },
    async [Symbol.asyncDispose]() {
      await pass[Symbol.asyncDispose]();
      await running.stop();
      await heard[Symbol.asyncDispose]();
    },
  };
  return world;
}

const ms = (at: Date | undefined) => at?.getTime();

/** Whether the service shows the build, its jobs and their text exactly as the model has them. */
export async function compare(world: World, { model }: Pair): Promise<void> {
  const ask = { ref: refOf(model), search: "" };
  const { build, jobs } = await world.as(model.userId, () => world.builds.listJobs(ask));
  const shown = {
    status: build!.status,
    tags: build!.tags.map(({ name }) => name).sort(),
    pinned: build!.pinned,
    startedAt: ms(build!.startedAt),
    finishedAt: ms(build!.finishedAt),
    outputBytes: build!.outputBytes,
    comment: build!.trigger?.comment,
    queued: build!.queue !== undefined,
    jobs: jobs.map((job) => ({
      status: job.status,
      startedAt: ms(job.startedAt),
      finishedAt: ms(job.finishedAt),
      output: job.output ?? "",
    })),
  };
  expect(shown).toEqual({
    status: model.status,
    tags: [...model.tags].sort(),
    pinned: model.pinned,
    startedAt: model.startedAt,
    finishedAt: model.finishedAt,
    outputBytes: Buffer.byteLength(model.text),
    comment: model.comment,
    queued: model.status === "queued",
    jobs: model.jobs.map(({ status, startedAt, finishedAt, text: output }) => ({
      status,
      startedAt,
      finishedAt,
      output,
    })),
  });
}

/** Ends whatever still waits or runs, and looks at all that can be seen of the builds of this run. */
export async function settle(world: World): Promise<void> {
  for (const pair of world.pairs) {
    await compare(world, pair);
    await compareWhole(world, pair);
  }
  for (const { model } of world.pairs) {
    seen.add(model.status);
    seen.add(`returned ${model.returns} times`);
    if (model.text.includes("no attempts left")) seen.add("no attempts left");
  }
  const left = world.pairs.filter(({ model }) => !over(model.status));
  for (const { model } of left) {
    await world.as(model.userId, () => world.builds.killBuild({ ref: refOf(model) }));
    killed(model, world.now(), world.nameOf(model.userId));
  }
  await world.later(leaseMs + 1);
  for (const pair of left) await compare(world, pair);
  await eventually(() => {
    for (const { model } of world.pairs) {
      const events = world.eventsOf(model.id);
      expect(events.map(({ kind }) => kind)).toEqual(model.events);
      expect(events.map(({ seq }) => seq)).toEqual(model.events.map((_, index) => index + 1));
      expect(model.events.filter((kind) => kind === "build.finished")).toHaveLength(1);
    }
  });
}

/** The text of the whole build and what is collected. */
async function compareWhole(world: World, { model }: Pair): Promise<void> {
  const ref = refOf(model);
  const [{ build }, { artifacts }] = await world.as(model.userId, () =>
    Promise.all([world.builds.getBuild({ ref, brief: false }), world.builds.listArtifacts({ ref, search: "" })]),
  );
  expect(build!.output ?? "").toBe(model.text);
  expect(artifacts.map(({ name, size }) => [name, size])).toEqual(
    [...model.artifacts].sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** Ends all builds of a run that went wrong, so that the next one is alone. */
export async function clear(world: World): Promise<void> {
  const builds = world.pairs.map(({ model }) => model);
  world.pairs = [];
  for (const build of builds) await world.as(build.userId, () => world.builds.killBuild({ ref: refOf(build) }));
  await world.later(leaseMs + 1);
  for (const build of builds)
    await eventually(async () => {
      const { build: now } = await world.as(build.userId, () =>
        world.builds.getBuild({ ref: refOf(build), brief: true }),
      );
      expect(over(now!.status)).toBe(true);
    });
}
