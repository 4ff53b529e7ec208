import type { Log } from "@ci/kit/process/log";
import type Docker from "dockerode";
import type { ContainerPlan } from "./container.js";
import { type Deaths, watchDeaths } from "./deaths.js";
import { type DiskUse, diskUse, serviceUse, sumOfUses } from "./disk-use.js";
import { type DiskWatch, watchDisk } from "./disk-watch.js";
import { engineCall } from "./engine.js";
import type { startedWork } from "./job-containers.js";
import { networkOf } from "./network.js";
import type { Quotas } from "./quotas.js";

export interface SurroundingsOptions {
  readonly engine: Docker;
  readonly quotas: Quotas;
  readonly path: string;
  /** The name of both the network and the volume of the workspace. */
  readonly name: string;
  /** The names of all volumes. */
  readonly volumes: readonly string[];
  readonly bridge: string;
  readonly labels: ContainerPlan["labels"];
  readonly limits: ContainerPlan["limits"];
  readonly log: Log;
  readonly begin: ReturnType<typeof startedWork>["begin"];
}

/** What all containers of a build share. */
export interface Surroundings extends Disposable {
  make(): Promise<unknown>;
  /** Resolves when the volumes exist. */
  volume(): Promise<unknown> | undefined;
  /** Resolves with the exit code of a container. */
  death(container: Docker.Container): Promise<number> | undefined;
  /** Counts what the container of a service writes, too. */
  watch(service: Docker.Container): void;
  /** Returns a signal that also aborts when the build writes too much, from the container of this job on. */
  within(container: Docker.Container | undefined, signal: AbortSignal, beside?: string): AbortSignal;
}

export function surroundings(options: SurroundingsOptions): Surroundings {
  const { engine, quotas, path, name, volumes, bridge, labels, limits, log, begin } = options;
  let volume: Promise<unknown> | undefined;
  let deaths: Deaths | undefined;
  let watch: DiskWatch | undefined;
  /** The containers that run now, or those of one parallel stage. */
  let writing: readonly Docker.Container[] = [];
  let stage: string | undefined;
  const services: Docker.Container[] = [];

  async function measured(): Promise<DiskUse> {
    const ofJobs = writing.length > 0 ? diskUse({ engine, path, volumes, containers: writing }) : undefined;
    const all = await Promise.all([ofJobs, ...services.map((container) => serviceUse(container, { engine, path }))]);
    return sumOfUses(all.flatMap((use) => use ?? []));
  }

  const makeVolume = (Name: string) =>
    engineCall(quotas.volume(engine, { Name, Labels: { ...labels } }, limits.diskBytes));
  const makeVolumes = () => Promise.all(volumes.map(makeVolume));
  const makeNetwork = () => engineCall(engine.createNetwork(networkOf({ name, bridge, labels })));
  const listen = async () => {
    deaths = await engineCall(watchDeaths(engine, labels));
  };

  return {
    make() {
      volume = begin(makeVolumes);
      return Promise.all([volume, begin(makeNetwork), begin(listen)]);
    },
    volume: () => volume,
    death: (container) => deaths?.of(container.id),
    watch: (service) => void services.push(service),
    within(container, signal, beside) {
      const one = container ? [container] : [];
      writing = beside !== undefined && beside === stage ? [...writing, ...one] : one;
      stage = beside;
      watch ??= watchDisk({
        limitBytes: limits.diskBytes,
        maxFiles: limits.files,
        measure: measured,
        // A container that has just ended cannot be measured.
        onError: (error) => log.debug({ err: error }, "the disk use of a build was not measured"),
      });
      return AbortSignal.any([signal, watch.signal]);
    },
    [Symbol.dispose]() {
      watch?.[Symbol.dispose]();
      deaths?.[Symbol.dispose]();
    },
  };
}
