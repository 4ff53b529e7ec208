import { followDeletions, learnInto } from "@ci/access/follow-deletions";
import { cachingGrants } from "@ci/access/grants";
import { readers } from "@ci/kit/bus/rights";
import { blobs } from "@ci/kit/bytes/blobs";
import { deletionsIn, tendDeletions } from "@ci/kit/mongo/deletions";
import type { Nudge } from "@ci/kit/mongo/outbox";
import { guardedAgent } from "@ci/kit/net/guarded-agent";
import { type Host, host, type Service } from "@ci/kit/process/host";
import type { Log } from "@ci/kit/process/log";
import { batched } from "@ci/kit/turns/batch";
import { CronServiceDefinition } from "@ci/proto/builds/v1/crons";
import { OperatorServiceDefinition } from "@ci/proto/builds/v1/operators";
import { QueueServiceDefinition } from "@ci/proto/builds/v1/queue";
import { RepositoryServiceDefinition } from "@ci/proto/builds/v1/repositories";
import { EncodedBuildServiceDefinition } from "@ci/proto/encoded-builds";
import { AccountServiceDefinition } from "@ci/proto/namespaces/v1/accounts";
import { AuditServiceDefinition } from "@ci/proto/namespaces/v1/audit";
import { NamespaceServiceDefinition } from "@ci/proto/namespaces/v1/namespaces";
import { BuildInputServiceDefinition, ObjectServiceDefinition } from "@ci/proto/namespaces/v1/resources";
import { applyDeletion } from "./actions/apply-deletion.js";
import { discarding } from "./actions/discard.js";
import { reportSoon } from "./actions/hooks/advance.js";
import { readingTurns } from "./actions/hooks/reading-turns.js";
import { killingReplaced } from "./actions/kill-replaced.js";
import { feedsOf } from "./actions/output/feeds.js";
import { followedReader } from "./actions/output/read-followed.js";
import { wakeupsOver } from "./actions/output/wakeups.js";
import { claimTurns } from "./actions/queue/claim-turns.js";
import { placeFinder } from "./actions/queue/queue-places.js";
import { entryRecorder } from "./actions/record-entries.js";
import { cachingInputs } from "./actions/submit/read-inputs.js";
import { cachingSubmitters } from "./actions/submit/submitters.js";
import type { Config } from "./config.js";
import type { Context } from "./context.js";
import { type BuildDoc, isFinal } from "./domain/build.js";
import { recordDeletion } from "./events/deletions.js";
import { advancingDeliveries } from "./loops/advance-deliveries.js";
import { completeGroups } from "./loops/complete-groups.js";
import { restMs as cronRestMs, firingCrons } from "./loops/fire-crons.js";
import { lineUp } from "./loops/line-up.js";
import { pruneArtifacts } from "./loops/prune-artifacts.js";
import { pruneCaches } from "./loops/prune-caches.js";
import { pruneDeliveries } from "./loops/prune-deliveries.js";
import { recordQueue } from "./loops/record-queue.js";
import { registeringHooks } from "./loops/register-hooks.js";
import { removingHooks } from "./loops/remove-hooks.js";
import { requeueingLost } from "./loops/requeue-lost.js";
import { sweepBlobs } from "./loops/sweep-blobs.js";
import { countChange, startGauges } from "./metrics.js";
import { buildHandlers, cronHandlers, queueHandlers } from "./rpc/index.js";
import { operatorHandlers } from "./rpc/operators/index.js";
import { repositoryHandlers } from "./rpc/repositories/index.js";
import type { OnChange } from "./store/build-writer.js";
import { buildStore } from "./store/builds.js";
import { cacheStore } from "./store/caches.js";
import { cronStore } from "./store/crons.js";
import { hookDeliveryStore } from "./store/hooks/hook-deliveries.js";
import { hookRemovalStore } from "./store/hooks/hook-removals.js";
import { ensureAllIndexes } from "./store/indexes.js";
import { installationId } from "./store/installation.js";
import { migrations } from "./store/migrations.js";
import { outputStore } from "./store/output.js";
import { lineStore } from "./store/queue/line.js";
import { queueStore } from "./store/queue/queue.js";
import { queueMinuteStore } from "./store/queue/queue-minutes.js";
import { runnerStore } from "./store/queue/runners.js";
import { slotStore } from "./store/queue/slots.js";
import { repositoryStore } from "./store/repositories.js";
import { testStore } from "./store/tests.js";

const hourMs = 3_600_000;
const minuteMs = 60_000;
const lineUpEveryMs = 10_000;
const registerHooksEveryMs = 5_000;
/** The longest rest of loops that look for what another process has begun or left behind. */
const restMs = 16_000;
const hooksRestMs = 40_000;

/** Starts the builds service. `overrides` replaces parts of the context, such as the clock in tests. */
export const start = (config: Config, overrides: Partial<Context> = {}): Promise<Service> =>
  host("builds", config, async (h) => {
    await ensureAllIndexes(h.db);
    h.migrate(migrations);
    const ctx = await createContext(config, h, {
      stirCrons: () => loops.crons.stir(),
      wakeDeliveries: () => loops.deliveries.wake(),
      wakeHookRemovals: () => loops.removals.wake(),
      ...overrides,
    });
    for (const gauge of startGauges(ctx)) h.own(gauge);
    const loops = startLoops(ctx, h);
    await h.bus.subscribe("builds", readers.builds.kinds, recordDeletion(ctx));
    return (server) => {
      server.add(EncodedBuildServiceDefinition, buildHandlers(ctx));
      server.add(CronServiceDefinition, cronHandlers(ctx));
      server.add(QueueServiceDefinition, queueHandlers(ctx));
      server.add(RepositoryServiceDefinition, repositoryHandlers(ctx));
      server.add(OperatorServiceDefinition, operatorHandlers(ctx));
    };
  });

type Overrides = Partial<Context> & Pick<Context, "stirCrons" | "wakeDeliveries" | "wakeHookRemovals">;

async function createContext(config: Config, h: Host, overrides: Overrides): Promise<Context> {
  const contents = blobs(h.db, "artifacts");
  await contents.ensureIndexes();
  const namespaces = h.connect(config.namespacesAddr);
  const accounts = cachingGrants(namespaces.client(AccountServiceDefinition), h.bus);
  const news = h.relay(...["builds", "crons"].map((name) => h.db.collection<never>(name)));
  const agent = guardedAgent(config);
  h.own({ [Symbol.asyncDispose]: () => agent.close() });
  const tasks = ownTasks(h);
  const deletions = deletionsIn(
    h.db,
    (parent) => applyDeletion(ctx, parent),
    () => ctx.now(),
  );
  await deletions.ensureIndexes();
  const dispatch = {
    config,
    queue: queueStore(h.db),
    line: lineStore(h.db),
    slots: slotStore(h.db),
    runners: runnerStore(h.db, config.leaseMs / 2),
    now: h.now,
    ...overrides,
  };
  const queueMinutes = queueMinuteStore(h.db);
  const wakeups = wakeupsOver(h.bus);
  const places = placeFinder(dispatch);
  const reportEnd = reportingEnds(() => ctx, h.log);
  const onChange: OnChange = (before, after) => {
    countChange(before, after);
    queueMinutes.changed(before, after);
    if (before.status !== after.status) reportEnd(after);
    places.changed(before, after);
    if (before.status === "running" && after.status !== "running" && after.concurrency)
      for (const driver of config.drivers) h.bus.nudge(`queue.${driver}`);
  };
  const builds = buildStore(h.db, news, onChange);
  const auditLog = namespaces.client(AuditServiceDefinition);
  const ctx: Context = {
    ...dispatch,
    claims: claimTurns(dispatch.line, dispatch.queue),
    places,
    queueMinutes,
    db: h.db,
    clock: h.clock,
    installation: await installationId(h.db),
    builds,
    entries: entryRecorder({ client: auditLog, builds, tasks, log: h.log, now: h.now }),
    crons: cronStore(h.db, thenCall(news, overrides.stirCrons), config.cronsPerUser),
    deletions,
    output: outputStore(h.db),
    repositories: repositoryStore(h.db, config.repositoriesPerUser),
    hookDeliveries: hookDeliveryStore(h.db),
    inReadingTurn: readingTurns(config),
    hookRemovals: hookRemovalStore(h.db),
    caches: cacheStore(h.db),
    tests: testStore(h.db),
    contents,
    discard: discarding({ contents, tasks, signal: h.signal }),
    killReplaced: killingReplaced(() => ctx),
    accounts,
    submitter: cachingSubmitters(accounts),
    namespaces: namespaces.client(NamespaceServiceDefinition),
    inputs: cachingInputs(namespaces.client(BuildInputServiceDefinition)),
    objects: namespaces.client(ObjectServiceDefinition),
    bus: h.bus,
    log: h.log,
    signal: h.signal,
    agent,
    tasks,
    wakeups,
    feeds: feedsOf(
      followedReader(() => ctx),
      wakeups,
      h.log,
    ),
    ...overrides,
  };
  return ctx;
}

function ownTasks({ own }: Host): Set<Promise<void>> {
  const tasks = new Set<Promise<void>>();
  own({
    async [Symbol.asyncDispose]() {
      while (tasks.size > 0) await Promise.all(tasks);
    },
  });
  return tasks;
}

function startLoops(ctx: Context, { loop, bus }: Host) {
  const { leaseMs } = ctx.config;
  // A lease that begins during a rest does not end before it.
  loop("requeue-lost", Math.min(2_000, leaseMs / 2), requeueingLost(ctx), leaseMs);
  const firing = loop(
    "fire-crons",
    2_000,
    firingCrons(ctx, () => firing.wake()),
    cronRestMs,
  );
  tendDeletions({ loop }, ctx.deletions);
  followDeletions({ loop, bus }, ctx.accounts, learnInto(ctx.deletions));
  loop("line-up", lineUpEveryMs, () => lineUp(ctx), 2 * lineUpEveryMs);
  loop("complete-groups", lineUpEveryMs, () => completeGroups(ctx), 2 * lineUpEveryMs);
  loop("record-entries", lineUpEveryMs, () => ctx.entries.recordLeft(), 2 * lineUpEveryMs);
  loop("prune-artifacts", ctx.config.curationEveryMs, () => pruneArtifacts(ctx));
  loop("sweep-artifacts", hourMs, () => sweepBlobs(ctx));
  loop("prune-caches", ctx.config.curationEveryMs, () => pruneCaches(ctx));
  loop("prune-deliveries", hourMs, () => pruneDeliveries(ctx));
  loop("record-queue", minuteMs, () => recordQueue(ctx));
  const pending = registeringHooks(ctx, () => registering.wake());
  const registering = loop("register-hooks", registerHooksEveryMs, pending, hooksRestMs);
  return {
    crons: firing,
    removals: loop("remove-hooks", registerHooksEveryMs, removingHooks(ctx), hooksRestMs),
    deliveries: loop("advance-deliveries", 1_000, advancingDeliveries(ctx), restMs),
  };
}

const thenCall =
  (nudge: Nudge, next: () => void): Nudge =>
  (...changed) => {
    nudge(...changed);
    next();
  };

/** Returns a function that reports finished builds to their commits' providers. */
function reportingEnds(ctx: () => Context, log: Log): (build: BuildDoc) => void {
  const ended = batched({ maxItems: 200, waitMs: 20 }, async (deliveryIds: readonly string[]) => {
    await reportSoon(ctx(), deliveryIds);
    return deliveryIds;
  });
  return ({ status, origin }) => {
    if (!isFinal(status) || origin?.deliveryId === undefined) return;
    // If the process dies before this, the loop still checks unreported builds every minute.
    ended(origin.deliveryId).catch((err) =>
      log.debug({ err }, "could not report a finished build; the loop will retry it"),
    );
  };
}
