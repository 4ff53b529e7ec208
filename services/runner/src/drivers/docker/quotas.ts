import type { Log } from "@ci/kit/process/log";
import type Docker from "dockerode";
import type { ContainerCreateOptions, VolumeCreateOptions } from "dockerode";
import { inBody, statusOf } from "./engine.js";

/** Creates containers and volumes of limited size. The first attempt shows whether the engine's storage can do that. */
export interface Quotas {
  container(engine: Docker, options: ContainerCreateOptions, bytes: number): Promise<Docker.Container>;
  volume(engine: Docker, options: VolumeCreateOptions, bytes: number): Promise<unknown>;
}

export function newQuotas(log: Log): Quotas {
  const refused = new Set<"containers" | "volumes">();

  async function limited<T>(
    what: "containers" | "volumes",
    create: (bytes: number | undefined) => Promise<T>,
    bytes: number,
  ): Promise<T> {
    if (refused.has(what)) return create(undefined);
    try {
      return await create(bytes);
    } catch (error) {
      // Storage drivers word this refusal differently. If it works without a size, the size was the reason.
      if (statusOf(error) === undefined) throw error;
      const made = await create(undefined);
      if (!refused.has(what)) log.info({ what, err: error }, "the engine's storage has no quotas: builds are measured");
      refused.add(what);
      return made;
    }
  }

  return {
    container: (engine, options, bytes) =>
      limited(
        "containers",
        (size) =>
          engine.createContainer(
            inBody({
              ...options,
              HostConfig: { ...options.HostConfig, ...(size && { StorageOpt: { size: String(size) } }) },
            }),
          ),
        bytes,
      ),
    volume: (engine, options, bytes) =>
      limited(
        "volumes",
        (size) => engine.createVolume(inBody({ ...options, ...(size && { DriverOpts: { size: String(size) } }) })),
        bytes,
      ),
  };
}
