import { guardedAgent } from "@ci/kit/net/guarded-agent";
import type { Log } from "@ci/kit/process/log";
import { inTurn } from "@ci/kit/turns/in-turn";
import type Docker from "dockerode";
import type { Driver } from "../driver.js";
import { raceAbort } from "../endings/ended.js";
import { showEgress } from "../metrics.js";
import { newQuotas } from "./docker/disk/quotas.js";
import type { DockerConfig } from "./docker/docker-config.js";
import { connectEngine } from "./docker/engine.js";
import { dockerEnvironment } from "./docker/environment.js";
import { imageRoom } from "./docker/images/image-room.js";
import { pulledImages, unprovenImages } from "./docker/images/pulled.js";
import { findLeftovers, labelsOf } from "./docker/leftovers.js";
import { enginePlace } from "./docker/network/engine-place.js";
import { bridgePrefix } from "./docker/network/network.js";
import { buildNetworks } from "./docker/network/networks.js";
import { seccompFor } from "./docker/seccomp.js";
import { spareContainers } from "./docker/spares/spares.js";
import type { EgressConfig } from "./egress/egress-config.js";
import { type Egress, keepEgress } from "./egress/keeper.js";
import type { WorkRoot } from "./work-root.js";

export interface DockerOptions extends DockerConfig {
  readonly name: string;
  readonly root: WorkRoot;
  /** Where iptables is found. */
  readonly path: string;
  readonly egress: EgressConfig;
  readonly log: Log;
}

/** Saves asking the engine before each claim. */
const trustMs = 10_000;
const askTimeoutMs = 2_000;

/** Keeps jobs from private addresses, on the engine's host. */
function egressOf(engine: Docker, agent: ReturnType<typeof guardedAgent>, options: DockerOptions): Egress {
  const { name, host, path, pullBytes, egress: config, log } = options;
  const local = host.startsWith("unix://");
  const place = enginePlace({ engine, local, runner: name, path, image: config.image, agent, pullBytes });
  const match = `-i ${bridgePrefix(name)}+`;
  const jumps = [{ hook: "FORWARD", match } as const, { hook: "INPUT", match } as const];
  return keepEgress({ config, driver: "docker", name, jumps, place, log });
}

export function dockerDriver(options: DockerOptions): Driver {
  const { name, root, log, ...config } = options;
  const engine = connectEngine(config);
  const quotas = newQuotas(engine, log);
  const networks = buildNetworks({ engine, keepMs: config.networkKeepMs, log });
  const spares = spareContainers({ engine, quotas, networks, runner: name, ...config.spares, log });
  const owners = { network: networks.userOf, spare: spares.userOf };
  const agent = guardedAgent(config.guard);
  const shared = { engine, pulled: pulledImages(root.path), runner: name, log };
  const room = imageRoom({ localImages: config.localImages, ...shared });
  const images = { ...config, ...shared, unproven: unprovenImages(root.path), inTurn: inTurn<string>(), room, agent };
  const { path, serviceReadyMs } = config;
  const common = { engine, images, quotas, networks, spares, path, runner: name, root, serviceReadyMs, log };
  const egress = egressOf(engine, agent, options);
  const shown = showEgress("docker", egress);
  let trustedUntil = Number.NEGATIVE_INFINITY;
  /** An engine refuses more CPUs than the machine has. */
  let cpus = config.cpus;
  let rootDir: string | undefined;
  let seccomp: string | undefined;

  async function ask(): Promise<void> {
    const facts = await raceAbort(AbortSignal.timeout(askTimeoutMs), engine.info());
    const { NCPU, DockerRootDir } = facts;
    cpus = Math.min(config.cpus, NCPU);
    rootDir = DockerRootDir;
    seccomp = seccompFor(facts);
    trustedUntil = performance.now() + trustMs;
  }

  return {
    type: "docker",
    async ready() {
      if (performance.now() < trustedUntil) return egress.ensure();
      return ask().then(egress.ensure, (error) => {
        egress.distrust();
        log.warn({ err: error }, "Docker Engine cannot be reached");
        return false;
      });
    },
    // A remote engine's folder says nothing about this machine.
    disks: () =>
      rootDir !== undefined && config.host.startsWith("unix://") ? [{ name: "engine", path: rootDir }] : [],
    makeRoom: room.makeRoom,
    environment(order) {
      const labels = labelsOf(name, order.mark);
      const limits = { ...config, cpus, seccomp };
      const environment = dockerEnvironment(order, { ...common, labels, limits });
      // The engine may be gone: the next build then waits instead of failing too.
      const distrust = (error: unknown) => {
        trustedUntil = Number.NEGATIVE_INFINITY;
        throw error;
      };
      return {
        ...environment,
        prepare: (say, signal) => environment.prepare(say, signal).catch(distrust),
        run: (job, onOutput, signal) => environment.run(job, onOutput, signal).catch(distrust),
      };
    },
    leftovers: () => findLeftovers({ ...common, owners }),
    async close() {
      await shown[Symbol.asyncDispose]();
      await agent.destroy();
      await spares.close();
      await networks.close();
      // What is left keeps its rules until the next runner of this name has removed it.
      const left = await findLeftovers(common).catch(() => undefined);
      if (left?.length === 0) await egress.remove();
    },
  };
}
