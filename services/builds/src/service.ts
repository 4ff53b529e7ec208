import { cachingGrants } from "@ci/access/grants";
import { blobs } from "@ci/kit/bytes/blobs";
import { deletionsIn, tendDeletions } from "@ci/kit/mongo/deletions";
import { guardedAgent } from "@ci/kit/net/guarded-agent";
import { batched } from "@ci/kit/process/batch";
import { host, type Service } from "@ci/kit/process/host";
import { BuildServiceDefinition } from "@ci/proto/builds/v1/builds";
import { CronServiceDefinition } from "@ci/proto/builds/v1/crons";
import { QueueServiceDefinition } from "@ci/proto/builds/v1/queue";
import { RepositoryServiceDefinition } from "@ci/proto/builds/v1/repositories";
import { AccountServiceDefinition } from "@ci/proto/namespaces/v1/accounts";
import { NamespaceServiceDefinition } from "@ci/proto/namespaces/v1/namespaces";
import { BuildInputServiceDefinition, ObjectServiceDefinition } from "@ci/proto/namespaces/v1/resources";
import { applyDeletion } from "./actions/apply-deletion.js";
import { reportSoon } from "./actions/hooks/advance.js";
import { placeFinder } from "./actions/queue-places.js";
import { cachingSubmitters } from "./actions/submitters.js";
import { wakeupsOver } from "./actions/wakeups.js";
import type { Config } from "./config.js";
import type { Context } from "./context.js";
import { recordDeletion } from "./events/deletions.js";
import { advanceDeliveries } from "./loops/advance-deliveries.js";
import { fireCrons } from "./loops/fire-crons.js";
import { lineUp } from "./loops/line-up.js";
import { pruneArtifacts } from "./loops/prune-artifacts.js";
import { pruneDeliveries } from "./loops/prune-deliveries.js";
import { requeueLost } from "./loops/requeue-lost.js";
import { countChange, startGauges } from "./metrics.js";
import { buildHandlers, cronHandlers, queueHandlers } from "./rpc/index.js";
import { repositoryHandlers } from "./rpc/repositories/index.js";
import { buildStore } from "./store/builds.js";
import { cronBatch, cronStore } from "./store/crons.js";
import { hookDeliveryStore } from "./store/hook-deliveries.js";
import { ensureAllIndexes } from "./store/indexes.js";
import { installationId } from "./store/installation.js";
import { lineStore } from "./store/line.js";
import { migrations } from "./store/migrations.js";
import { outputStore } from "./store/output.js";
import { queueStore } from "./store/queue.js";
import { repositoryStore } from "./store/repositories.js";
import { runnerStore } from "./store/runners.js";
import { slotStore } from "./store/slots.js";

const hourMs = 3_600_000;
const lineUpEveryMs = 10_000;

/** Starts the builds service. `overrides` replaces parts of the context, such as the clock in tests. */
export const start = (config: Config, overrides: Partial<Context> = {}): Promise<Service> =>
  host("builds", config, async (h) => {
    await ensureAllIndexes(h.db);
    h.migrate(migrations);
    const artifacts = blobs(h.db, "artifacts");
    await artifacts.ensureIndexes();
    const namespaces = h.connect(config.namespacesAddr);
    const accounts = cachingGrants(namespaces.client(AccountServiceDefinition), h.bus);
    const news = h.relay(...["builds", "crons"].map((name) => h.db.collection<never>(name)));
    const agent = guardedAgent(config);
    h.own({ [Symbol.asyncDispose]: () => agent.close() });
    const deletions = deletionsIn(
      h.db,
      (parent) => applyDeletion(ctx, parent),
      () => ctx.now(),
    );
    await deletions.ensureIndexes();
    const queue = {
      config,
      queue: queueStore(h.db),
      line: lineStore(h.db),
      slots: slotStore(h.db),
      runners: runnerStore(h.db, config.leaseMs / 3),
      now: h.now,
      ...overrides,
    };
    const ctx: Context = {
      ...queue,
      places: placeFinder(queue),
      db: h.db,
      installation: await installationId(h.db),
      builds: buildStore(h.db, news, countChange),
      crons: cronStore(h.db, news),
      deletions,
      output: outputStore(h.db),
      repositories: repositoryStore(h.db),
      hookDeliveries: hookDeliveryStore(h.db),
      artifacts,
      accounts,
      submitter: cachingSubmitters(accounts),
      namespaces: namespaces.client(NamespaceServiceDefinition),
      inputs: namespaces.client(BuildInputServiceDefinition),
      objects: namespaces.client(ObjectServiceDefinition),
      bus: h.bus,
      log: h.log,
      signal: h.signal,
      agent,
      wakeDeliveries: () => deliveries.wake(),
      wakeups: wakeupsOver(h.bus),
      ...overrides,
    };
    for (const gauge of startGauges(ctx)) h.own(gauge);
    h.loop("requeue-lost", Math.min(2_000, config.leaseMs / 2), () => requeueLost(ctx));
    const firing = h.loop("fire-crons", 2_000, async () => {
      // A full batch: more may be due, as at midnight.
      if ((await fireCrons(ctx)) === cronBatch) firing.wake();
    });
    tendDeletions(h, deletions);
    h.loop("line-up", lineUpEveryMs, () => lineUp(ctx));
    h.loop("prune-artifacts", config.curationEveryMs, () => pruneArtifacts(ctx));
    h.loop("sweep-artifacts", hourMs, () =>
      ctx.artifacts.sweep(new Date(ctx.now().getTime() - hourMs), (blobId) => ctx.builds.usesBlob(blobId)),
    );
    const deliveries = h.loop("advance-deliveries", 1_000, () => advanceDeliveries(ctx));
    h.loop("prune-deliveries", hourMs, () => pruneDeliveries(ctx));
    const ended = batched({ most: 200, waitMs: 20 }, async (buildIds: readonly number[]) => {
      await reportSoon(ctx, buildIds);
      return buildIds;
    });
    h.bus.listen("build.finished", ({ buildId = 0 }) => {
      // If this is lost, the loop checks unreported builds every minute.
      ended(buildId).catch((err) => h.log.debug({ err }, "could not report a finished build; the loop will retry it"));
    });
    await h.bus.subscribe("builds", ["namespaces", "users"], recordDeletion(ctx));
    return (server) => {
      server.add(BuildServiceDefinition, buildHandlers(ctx));
      server.add(CronServiceDefinition, cronHandlers(ctx));
      server.add(QueueServiceDefinition, queueHandlers(ctx));
      server.add(RepositoryServiceDefinition, repositoryHandlers(ctx));
    };
  });
