import { openMongo } from "@ci/kit/mongo/mongo";
import { parseAllow } from "@ci/kit/net/guard";
import { anonymous, runAs } from "@ci/kit/rpc/caller";
import { BuildServiceDefinition } from "@ci/proto/builds/v1/builds";
import { CronServiceDefinition } from "@ci/proto/builds/v1/crons";
import { OperatorServiceDefinition } from "@ci/proto/builds/v1/operators";
import { type Assignment, type FinishJobRequest_Outcome, QueueServiceDefinition } from "@ci/proto/builds/v1/queue";
import { RepositoryServiceDefinition } from "@ci/proto/builds/v1/repositories";
import type { Event } from "@ci/proto/events/v1/events";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { serviceSettings, startAccounts, testKeyring } from "@ci/testkit/accounts";
import { collectEvents } from "@ci/testkit/collect-events";
import { connect } from "@ci/testkit/identities";
import { leased } from "@ci/testkit/leased";
import { limitOf, storageOf } from "@ci/testkit/quotas";
import { type Suite, suite } from "@ci/testkit/suite";
import type { Db, UpdateFilter } from "mongodb";
import type { Config } from "../src/config.js";
import type { Context } from "../src/context.js";
import type { BuildDoc } from "../src/domain/build.js";
import { start } from "../src/service.js";
import type { HookRemoval } from "../src/store/hooks/hook-removals.js";
import type { RepositoryDoc } from "../src/store/repositories.js";
import { elapse } from "./_elapse.js";

export const manifest = `
driver: {type: os}
stages: [make, test]
allow_failures: [test]
jobs:
- {stage: make, commands: [echo made], artifacts: [out.txt]}
- {stage: test, name: unit, commands: [echo tested]}
`;

/** Longer than any machine stalls. Tests end a lease by letting time pass. */
export const leaseMs = 600_000;

export const configOf = (names: Suite, namespacesAddr: string, overrides: Partial<Config> = {}): Config => ({
  ...serviceSettings(names, "builds"),
  namespacesAddr,
  keyring: testKeyring,
  drivers: ["os", "docker"],
  manifestBytes: 1024 * 1024,
  artifactBytes: 64 * 1024,
  maxJobs: 500,
  maxStages: 100,
  maxTags: 5,
  tagLength: 100,
  maskedBytes: 256 * 1024,
  outputBytes: 16 * 1024 * 1024,
  outputJsonBytes: 2 * 1024 * 1024,
  outputListBytes: 64 * 1024,
  artifactStorageBytes: 100_000,
  artifactQuota: storageOf("artifacts"),
  cacheBytes: 64 * 1024,
  cacheStorageBytes: 100_000,
  cacheUnusedMs: 3_600_000,
  repositoriesPerUser: limitOf("Repositories", "user"),
  cronsPerUser: limitOf("Cron jobs", "user"),
  curationEveryMs: 3_600_000,
  buildTimeoutMs: 60_000,
  prepareTimeoutMs: 10_000,
  leaseMs,
  renewEveryMs: 5_000,
  maxReturns: 2,
  runningPerUser: 0,
  runningPerNamespace: 0,
  publicUrl: "http://ci.test/api",
  allow: parseAllow("127.0.0.1/32"),
  // The maximum duration of a call.
  hookAnswerMs: 25_000,
  hookTimeoutMs: 300_000,
  hookLeaseMs: 600_000,
  hookPausesMs: [5_000, 5_000],
  hookLogMs: 3_600_000,
  hookReadBytes: 1024 * 1024,
  ...overrides,
});

/** Boots the service beside the real namespaces service, with a clock that tests can advance. */
export function bootBuilds(overrides: Partial<Config> = {}) {
  const names = suite();
  let stops: (() => PromiseLike<unknown>)[] = [];
  let clockMs = 0;
  let db: Db;
  const booted = {
    names,
    events: [] as Event[],
    config: undefined as never as Config,
    users: {} as Record<"ann" | "bob" | "eve", User>,
    accounts: undefined as never as Awaited<ReturnType<typeof startAccounts>>,
    builds: undefined as never as ReturnType<typeof clients>["builds"],
    queue: undefined as never as ReturnType<typeof clients>["queue"],
    crons: undefined as never as ReturnType<typeof clients>["crons"],
    operators: undefined as never as ReturnType<typeof clients>["operators"],
    database: (): Db => db,
    /** Returns the service's time. */
    now: (): Date => new Date(Date.now() + clockMs),
    repositories: undefined as never as ReturnType<typeof clients>["repositories"],
    /** Advances the service's clock. Leases follow the database's clock. */
    advanceClock(ms: number) {
      clockMs += ms;
    },
    /** Lets time pass for the service and for the database. */
    async elapse(ms: number): Promise<void> {
      booted.advanceClock(ms);
      await elapse(db, ms);
    },
    /** Writes to a build directly, as a process that died halfway or an older version has left it. */
    change: (id: number, update: UpdateFilter<BuildDoc>) =>
      db.collection<BuildDoc>("builds").updateOne({ _id: id }, update),
    /** Writes to a repository directly, as a process that died halfway has left it. */
    changeRepository: (id: number, update: UpdateFilter<{ _id: number; hook: string }>) =>
      db.collection<{ _id: number; hook: string }>("repositories").updateOne({ _id: id }, update),
    storedRepository: async (id: number) =>
      (await db.collection<RepositoryDoc>("repositories").findOne({ _id: id })) as RepositoryDoc,
    /** Stores that a hook is to be removed now, as a process that died halfway through a deletion has left it. */
    planRemoval: (removal: Omit<HookRemoval, "dueAt">) =>
      db.collection<HookRemoval>("hookRemovals").insertOne({ ...removal, dueAt: new Date(0) }),
    plannedRemovals: () => db.collection<HookRemoval>("hookRemovals").countDocuments({ dueAt: { $exists: true } }),
    /** Removes fields of a repository, as an older version has stored it. */
    forget: (id: number, fields: readonly string[]) =>
      db
        .collection<{ _id: number }>("repositories")
        .updateOne({ _id: id }, { $unset: Object.fromEntries(fields.map((field) => [field, true])) }),
    /** Ends all current leases. */
    loseRunners: (): Promise<void> => booted.elapse((overrides.leaseMs ?? leaseMs) + 1_000),
    as: <T>(user: User, work: () => Promise<T>) => runAs({ ...anonymous(), userId: user.id }, work),
    submit: async (user: User, text = manifest, options: { tags?: string[]; comment?: string } = {}) => {
      const request = { manifest: text, comment: "", tags: [], ...options };
      return (await booted.as(user, () => booted.builds.submitBuild(request))).build!;
    },
    /** Starts another replica until the end of the tests. It has the same clock unless `now` is given. */
    replica: async (now?: () => Date) => {
      const service = await start(configOf(names, booted.accounts.address, overrides), { now: now ?? booted.now });
      const peer = connect(`127.0.0.1:${service.port}`);
      stops.unshift(
        () => peer[Symbol.asyncDispose](),
        () => service[Symbol.asyncDispose](),
      );
      return clients(peer);
    },
    claim: async (runnerId = "r1") => (await booted.queue.claimBuild({ runnerId, drivers: ["os"] })).assignment,
    /** Finishes the job with this index. */
    finish: (
      assignment: Assignment,
      index: number,
      outcome: FinishJobRequest_Outcome,
      text = "",
      offset = assignment.outputBytes,
    ) =>
      booted.queue.finishJob({
        buildId: assignment.buildId,
        epoch: assignment.epoch,
        jobId: assignment.jobs[index]!.id,
        outcome,
        text,
        offset,
        placedObjectIds: [],
      }),
    /** Starts another service on the same database, with these parts and settings replaced. */
    startService: (parts: Partial<Context> = {}, settings: Partial<Config> = {}) =>
      start(configOf(names, booted.accounts.address, { ...overrides, ...settings }), { now: booted.now, ...parts }),
    /** Returns the kinds of a build's events, oldest first. */
    kinds: (buildId: number) => booted.events.filter((event) => event.buildId === buildId).map((event) => event.kind),
  };
  beforeAll(async () => {
    const accounts = await startAccounts(names);
    const config = configOf(names, accounts.address, overrides);
    const service = await start(config, { now: booted.now });
    const peer = connect(`127.0.0.1:${service.port}`);
    const collector = await collectEvents(names);
    const mongo = await openMongo(names.mongoUrl, `${names.mongoDb}_builds`);
    db = mongo.db;
    Object.assign(booted, { config, accounts, events: collector.events, ...clients(peer) });
    for (const name of ["ann", "bob", "eve"] as const) booted.users[name] = await accounts.aUser(name);
    stops = [
      () => mongo[Symbol.asyncDispose](),
      () => collector[Symbol.asyncDispose](),
      () => peer[Symbol.asyncDispose](),
      () => service[Symbol.asyncDispose](),
      () => accounts[Symbol.asyncDispose](),
    ];
  });
  afterAll(async () => {
    for (const stop of stops) await stop();
  });
  return booted;
}

export const clients = (peer: ReturnType<typeof connect>) => ({
  builds: peer.client(BuildServiceDefinition),
  crons: peer.client(CronServiceDefinition),
  queue: leased(peer.client(QueueServiceDefinition)),
  repositories: peer.client(RepositoryServiceDefinition),
  operators: peer.client(OperatorServiceDefinition),
});

/** Returns the Fault that a call fails with. */
export const fault = (call: Promise<unknown>) =>
  call.then(
    () => Promise.reject(new Error("The call succeeded")),
    (error) => error,
  );
