import type { Log } from "@ci/kit/process/log";
import type Docker from "dockerode";
import type { Mark } from "../../driver.js";
import type { ContainerPlan } from "./container.js";
import { type Deaths, type Watched, watchDeaths } from "./deaths.js";
import { type DiskUse, diskUse, sumOfUses } from "./disk/disk-use.js";
import { type DiskWatch, watchDisk } from "./disk/disk-watch.js";
import type { Quotas } from "./disk/quotas.js";
import { engineCall } from "./engine.js";
import type { NetworkPlan } from "./network/network.js";
import type { BuildNetwork, Networks } from "./network/networks.js";
import type { Spare } from "./spares/spare.js";
import type { Begin } from "./started-work.js";

interface SurroundingsOptions {
  readonly engine: Docker;
  readonly quotas: Quotas;
  readonly networks: Networks;
  readonly path: string;
  /** The names of the volumes to make. A spare brings its own. */
  readonly volumes: readonly string[];
  /** The network to make if none waits. */
  readonly network: NetworkPlan;
  readonly mark: Mark;
  readonly limits: ContainerPlan["limits"];
  readonly log: Log;
  readonly begin: Begin;
}

/** What all containers of a build share. */
export interface Surroundings extends Disposable {
  make(): Promise<unknown>;
  /** Uses the volume and the network of a container that was started before the build. */
  adopt(spare: Spare): Promise<unknown>;
  /** The names of all volumes. */
  volumes(): readonly string[];
  /** Resolves with the name of the network when containers can be made: the volumes exist, the network may still be made. */
  chosen(): Promise<string>;
  /** Gives the network back. */
  leaveNetwork(empty: boolean): Promise<void>;
  /** Returns what the engine's events say about a container. */
  watched(container: Docker.Container): Watched | undefined;
  /** Counts what the container of a service writes, too. */
  watch(service: Docker.Container): void;
  /** Returns a signal that also aborts when the build writes too much, from the container of this job on. */
  within(container: Docker.Container | undefined, signal: AbortSignal, beside?: string): AbortSignal;
}

export function surroundings(options: SurroundingsOptions): Surroundings {
  const { engine, quotas, networks, path, network: plan, mark, limits, log, begin } = options;
  const { labels } = plan;
  let { volumes } = options;
  let spare: Spare | undefined;
  let taken: BuildNetwork | undefined;
  let chosen: Promise<string> | undefined;
  let deaths: Deaths | undefined;
  let watch: DiskWatch | undefined;
  /** The containers that run now, or those of one parallel stage. */
  let writing: readonly Docker.Container[] = [];
  let stage: string | undefined;
  const services: Docker.Container[] = [];

  async function measured(): Promise<DiskUse> {
    const ofJobs = writing.length > 0 ? [diskUse({ engine, path, volumes, containers: writing })] : [];
    // The volumes of a service are those that its image asks for.
    const ofServices = services.map((container) => diskUse({ engine, path, volumes: [], containers: [container] }));
    return sumOfUses(await Promise.all([...ofJobs, ...ofServices]));
  }

  const makeVolume = (Name: string) => quotas.volume({ Name, Labels: { ...labels } }, limits.diskBytes);
  const makeVolumes = () => Promise.all(volumes.map(makeVolume));
  async function takeNetwork(): Promise<BuildNetwork> {
    taken = await networks.take(plan, mark);
    // Its failure is that of `make`.
    taken.made.catch(() => undefined);
    return taken;
  }
  const listen = async () => {
    deaths = await engineCall(watchDeaths(engine, labels));
  };

  return {
    make() {
      const network = begin(takeNetwork);
      const made = begin(async () => (await network).made);
      chosen = Promise.all([network, begin(makeVolumes)]).then(([{ name }]) => name);
      return Promise.all([chosen, made, begin(listen)]);
    },
    adopt(adopted) {
      spare = adopted;
      volumes = [adopted.volume];
      taken = adopted.network;
      chosen = Promise.resolve(taken.name);
      return begin(listen);
    },
    volumes: () => volumes,
    async chosen() {
      if (!chosen) throw new Error("the environment has not been prepared");
      return chosen;
    },
    leaveNetwork: async (empty) => taken && networks.giveBack(taken, empty),
    watched: ({ id }) => (spare?.container.id === id ? spare.deaths : deaths)?.of(id),
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
