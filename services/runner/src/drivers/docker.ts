import type { Log } from "@ci/kit/process/log";
import type { DockerConfig } from "../config.js";
import type { Driver } from "../driver.js";
import { raceAbort } from "../work/ended.js";
import { connectEngine } from "./docker/engine.js";
import { dockerEnvironment } from "./docker/environment.js";
import { findLeftovers, labelsOf } from "./docker/leftovers.js";
import type { WorkRoot } from "./work-root.js";

export interface DockerOptions extends DockerConfig {
  readonly name: string;
  readonly root: WorkRoot;
  readonly log: Log;
}

/** Saves asking the engine before each claim. */
const trustMs = 10_000;
const askTimeoutMs = 2_000;

export function dockerDriver({ name, root, log, ...config }: DockerOptions): Driver {
  const engine = connectEngine(config);
  let trustedUntil = Number.NEGATIVE_INFINITY;
  /** An engine refuses more CPUs than the machine has. */
  let cpus = config.cpus;
  let rootDir: string | undefined;

  async function ask(): Promise<void> {
    const { NCPU, DockerRootDir } = await raceAbort(AbortSignal.timeout(askTimeoutMs), engine.info());
    cpus = Math.min(config.cpus, NCPU);
    rootDir = DockerRootDir;
    trustedUntil = performance.now() + trustMs;
  }

  return {
    type: "docker",
    async ready() {
      if (performance.now() < trustedUntil) return true;
      return ask().then(
        () => true,
        (error) => {
          log.warn({ err: error }, "Docker Engine cannot be reached");
          return false;
        },
      );
    },
    // A remote engine's folder says nothing about this machine.
    disks: () =>
      rootDir !== undefined && config.host.startsWith("unix://") ? [{ name: "engine", path: rootDir }] : [],
    environment(order) {
      const labels = labelsOf(name, order.mark);
      const environment = dockerEnvironment(order, { engine, root, labels, limits: { ...config, cpus }, log });
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
    leftovers: () => findLeftovers(engine, name, root),
  };
}
