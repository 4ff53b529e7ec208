import type { Log } from "@ci/kit/process/log";
import type Docker from "dockerode";
import type { ContainerPlan } from "./container.js";
import { type Deaths, watchDeaths } from "./deaths.js";
import { diskUse } from "./disk-use.js";
import { type DiskWatch, watchDisk } from "./disk-watch.js";
import { engineCall } from "./engine.js";
import type { startedWork } from "./job-containers.js";
import { networkOf } from "./network.js";
import type { Quotas } from "./quotas.js";

export interface SurroundingsOptions {
  readonly engine: Docker;
  readonly quotas: Quotas;
  readonly path: string;
  /** The name of both the volume and the network. */
  readonly name: string;
  readonly bridge: string;
  readonly labels: ContainerPlan["labels"];
  readonly limits: ContainerPlan["limits"];
  readonly log: Log;
  readonly begin: ReturnType<typeof startedWork>["begin"];
}

/** What all containers of a build share. */
export interface Surroundings extends Disposable {
  make(): Promise<unknown>;
  /** Resolves when the volume exists. */
  volume(): Promise<unknown> | undefined;
  /** Resolves with the exit code of a container. */
  death(container: Docker.Container): Promise<number> | undefined;
  /** Returns a signal that also aborts when the build writes too much, from this container on. */
  within(container: Docker.Container, signal: AbortSignal, beside?: string): AbortSignal;
}

export function surroundings(options: SurroundingsOptions): Surroundings {
  const { engine, quotas, path, name, bridge, labels, limits, log, begin } = options;
  let volume: Promise<unknown> | undefined;
  let deaths: Deaths | undefined;
  let watch: DiskWatch | undefined;
  /** The containers that run now, or those of one parallel stage. */
  let writing: readonly Docker.Container[] = [];
  let stage: string | undefined;

  const makeVolume = () => engineCall(quotas.volume(engine, { Name: name, Labels: { ...labels } }, limits.diskBytes));
  const makeNetwork = () => engineCall(engine.createNetwork(networkOf({ name, bridge, labels })));
  const listen = async () => {
    deaths = await engineCall(watchDeaths(engine, labels));
  };

  return {
    make() {
      volume = begin(makeVolume);
      return Promise.all([volume, begin(makeNetwork), begin(listen)]);
    },
    volume: () => volume,
    death: (container) => deaths?.of(container.id),
    within(container, signal, beside) {
      writing = beside !== undefined && beside === stage ? [...writing, container] : [container];
      stage = beside;
      watch ??= watchDisk({
        limitBytes: limits.diskBytes,
        maxFiles: limits.files,
        measure: () => diskUse({ engine, path, volume: name, containers: writing }),
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
