import { Fault } from "@ci/kit/rpc/fault";
import type { Container } from "dockerode";
import { isBelow } from "../../../caches/names.js";
import type { Order } from "../../../driver.js";
import { EngineRefusal } from "../engine.js";
import { removeContainer } from "../remove.js";
import { takesFolder } from "./archive.js";
import { cacheVolumes, located, type SharedVolume } from "./cache-volumes.js";

/** The volumes of a build's caches, as far as its image has room for them. */
export interface SharedVolumes {
  /** The names of all, even of those that are left out. */
  readonly names: readonly string[];
  /** Returns those that containers have. Settled once the first container exists. */
  mounted(): readonly SharedVolume[];
  /** Makes a container. Leaves out volumes where the image has a file: no engine mounts them. */
  fitting(create: (volumes: readonly SharedVolume[]) => Promise<Container>): Promise<Container>;
  /** Throws a Fault if a volume that one of these cached paths needs is left out. */
  check(paths: readonly string[]): void;
}

/** Says why a cached path outside the workspace is not cached. */
export const notCached = (path: string, why: string): Fault =>
  new Fault("precondition", `${path} is ${why} in the image; cache a folder, or a path in the workspace`);

export function sharedVolumes(name: string, order: Pick<Order, "workspace" | "cachePaths">): SharedVolumes {
  const all = cacheVolumes(name, order);
  let mounted: readonly SharedVolume[] = all;

  async function fits(container: Container): Promise<SharedVolume[]> {
    const fitting: SharedVolume[] = [];
    for (const volume of mounted) if (await takesFolder(container, volume.target)) fitting.push(volume);
    return fitting;
  }

  return {
    names: all.map(({ name }) => name),
    mounted: () => mounted,
    async fitting(create) {
      try {
        return await create(mounted);
      } catch (error) {
        if (!(error instanceof EngineRefusal) || mounted.length === 0) throw error;
        const without = await create([]);
        const fitting = await fits(without);
        if (fitting.length === mounted.length) throw error;
        mounted = fitting;
        if (fitting.length === 0) return without;
        await removeContainer(without);
        return create(fitting);
      }
    },
    check(paths) {
      const left = all.filter((volume) => !mounted.includes(volume));
      const bad = paths.find((path) => left.some(({ target }) => isBelow(located(order.workspace, path), target)));
      if (bad !== undefined) throw notCached(bad, "not a folder");
    },
  };
}
