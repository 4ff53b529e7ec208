import type { Log } from "@ci/kit/process/log";
import type Docker from "dockerode";
import type { ContainerCreateOptions, VolumeCreateOptions } from "dockerode";
import { engineCall, inBody, statusOf } from "../engine.js";

/** Creates containers and volumes of limited size. The first attempt shows whether the engine's storage can do that. */
export interface Quotas {
  container(options: ContainerCreateOptions, bytes: number): Promise<Docker.Container>;
  volume(options: VolumeCreateOptions, bytes: number): Promise<unknown>;
}

export function newQuotas(engine: Docker, log: Log): Quotas {
  const refused = new Set<"containers" | "volumes">();

  async function limited<T>(
    what: "containers" | "volumes",
    create: (size?: { readonly size: string }) => Promise<T>,
    bytes: number,
  ): Promise<T> {
    if (refused.has(what)) return create();
    try {
      return await create({ size: String(bytes) });
    } catch (error) {
      // Storage drivers word this refusal differently. If it works without a size, the size was the reason.
      if (statusOf(error) === undefined) throw error;
      const made = await create();
      if (!refused.has(what)) log.info({ what, err: error }, "the engine's storage has no quotas: builds are measured");
      refused.add(what);
      return made;
    }
  }

  return {
    container({ HostConfig, ...options }, bytes) {
      const create = (StorageOpt?: { readonly size: string }) =>
        engine.createContainer(inBody({ ...options, HostConfig: { ...HostConfig, StorageOpt } }));
      return engineCall(limited("containers", create, bytes));
    },
    volume(options, bytes) {
      const create = (DriverOpts?: { readonly size: string }) =>
        engine.createVolume(inBody({ ...options, DriverOpts }));
      return engineCall(limited("volumes", create, bytes));
    },
  };
}
