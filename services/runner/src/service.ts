import { join } from "node:path";
import { type Bus, connectBus } from "@ci/kit/bus/bus";
import { guardedAgent } from "@ci/kit/net/guarded-agent";
import { serveAdmin } from "@ci/kit/process/admin";
import { assembled } from "@ci/kit/process/assembled";
import { drainer } from "@ci/kit/process/drain";
import { createLog } from "@ci/kit/process/log";
import { loop } from "@ci/kit/process/loop";
import type { Running } from "@ci/kit/process/run";
import { connect } from "@ci/kit/rpc/connect";
import { openIdentity } from "@ci/kit/rpc/identity";
import { QueueServiceDefinition } from "@ci/proto/builds/v1/queue";
import { ImageServiceDefinition } from "@ci/proto/images/v1/images";
import { openCopies } from "./caches/copies.js";
import type { Config } from "./config.js";
import type { Context, Times } from "./context.js";
import { openDrivers } from "./drivers/index.js";
import { workRoot } from "./drivers/work-root.js";
import { raceAbort, withTimeout } from "./endings/ended.js";
import { showDisks, showLoad } from "./metrics.js";
import { leasedQueue } from "./work/leased-queue.js";
import { readinessOf } from "./work/readiness.js";
import { sweep } from "./work/sweep.js";
import { openWork } from "./work/work.js";

export interface Service extends Running {
  readonly adminPort: number;
}

const pollEveryMs = 5_000;
const sweepEveryMs = 30_000;
/** Spreads runners that were started together. */
const jitter = () => 0.8 + Math.random() * 0.4;

/** Starts a runner. It claims builds when the bus announces one, and polls as a fallback. */
export const start = (config: Config, times: Times = {}): Promise<Service> =>
  assembled(async ({ own, ownToTheEnd }) => {
    const log = createLog("runner", config.logLevel);
    const identity = own(openIdentity(config.identity, log));
    const queue = leasedQueue(own(connect(config.buildsAddr, identity)).client(QueueServiceDefinition));
    // Connects on first use, and only the qemu driver uses it.
    const images = own(connect(config.imagesAddr, identity)).client(ImageServiceDefinition);
    const root = await workRoot(config.dir, config.name);
    const copies = await openCopies(join(root.path, "caches"), config.cacheCopiesBytes);
    const drivers = await openDrivers(config, root, images, log);
    const bus = own(await connectBus(config.natsUrl, config.subjectPrefix, "runner", log));
    const readiness = readinessOf({ config, drivers, copies, log });
    const agent = guardedAgent(config.docker.guard);
    own({ [Symbol.asyncDispose]: () => agent.destroy() });
    const working = own(keepWorking({ config, queue, drivers, readiness, agent, copies, times, log }, bus));
    const { check, drain } = drainer(0, () => log.info("draining"));
    const admin = ownToTheEnd(await serveAdmin(config.adminListen, check, () => ready(readiness)));
    log.info({ name: config.name, drivers: config.drivers, adminPort: admin.port }, "serving");
    return {
      adminPort: admin.port,
      async drain(hurry) {
        await drain(hurry);
        await working.drain(hurry);
      },
    };
  });

async function ready(readiness: Context["readiness"]): Promise<void> {
  if ((await readiness.drivers()).length === 0) throw new Error("No driver can run builds");
}

function keepWorking(ctx: Context, bus: Bus): Pick<Running, "drain"> & AsyncDisposable {
  const { config, queue, drivers, log } = ctx;
  const stopping = new AbortController();
  const on = { signal: stopping.signal, log };
  const builds = openWork(ctx, () => claims.wake());
  const claims = loop("claim", pollEveryMs * jitter(), () => builds.claim(), on);
  const sweeping = { drivers: [...drivers.values()], queue, runnerId: config.id, running: builds.running, log };
  const sweeps = loop("sweep", sweepEveryMs * jitter(), () => sweep(sweeping), on);
  for (const type of drivers.keys()) bus.onNudge(`queue.${type}`, () => claims.wake());
  bus.onNudge("kill.*", (_text, topic) => builds.checkKill(Number(topic.slice("kill.".length))));
  const shown = [...showLoad(config.builds, () => builds.running().length), showDisks(ctx.readiness)];
  return {
    async drain(hurry) {
      using time = withTimeout(ctx.config.drainMs, hurry);
      await raceAbort(time.signal, builds.drain()).catch(() => undefined);
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      for (const one of shown) await one[Symbol.asyncDispose]();
      await builds.stop();
      await Promise.all([claims.done, sweeps.done]);
      for (const driver of drivers.values()) await driver.close?.();
    },
  };
}
