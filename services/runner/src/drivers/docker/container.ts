import type { ContainerCreateOptions } from "dockerode";
import type { Order } from "../../driver.js";
import type { SharedVolume } from "./cache-volumes.js";
import type { DockerConfig } from "./docker-config.js";

const capabilities = [
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "SETGID",
  "SETUID",
  "NET_BIND_SERVICE",
] as const;

export interface ContainerPlan {
  readonly order: Order;
  readonly imageId: string;
  readonly script: string;
  /** The name of both the network and the volume of the workspace. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** What caches keep outside the workspace. */
  readonly shared: readonly SharedVolume[];
  readonly limits: Pick<DockerConfig, "cpus" | "memoryBytes" | "diskBytes" | "files" | "pids" | "capabilities"> & {
    /** A filter of system calls instead of the engine's own. */
    readonly seccomp?: string | undefined;
  };
}

export const containerOf = ({
  order: { workspace, variables },
  imageId,
  script,
  name,
  labels,
  shared,
  limits,
}: ContainerPlan): ContainerCreateOptions => ({
  Image: imageId,
  Entrypoint: ["/bin/sh"],
  Cmd: [script],
  User: "0:0",
  WorkingDir: workspace,
  Env: variables.map(({ key, value }) => `${key}=${value}`),
  Labels: { ...labels },
  Healthcheck: { Test: ["NONE"] },
  HostConfig: {
    NetworkMode: name,
    Mounts: [{ name, target: workspace }, ...shared].map(({ name: Source, target: Target }) => ({
      ...{ Type: "volume" as const, Source, Target },
    })),
    CapDrop: ["ALL"],
    CapAdd: [...capabilities, ...limits.capabilities],
    SecurityOpt: ["no-new-privileges", ...(limits.seccomp ? [`seccomp=${limits.seccomp}`] : [])],
    PidsLimit: limits.pids,
    Memory: limits.memoryBytes,
    // Memory plus swap: equal means no swap.
    MemorySwap: limits.memoryBytes,
    NanoCpus: Math.round(limits.cpus * 1e9),
    // Output is read from the container; a log would only fill the host's disk.
    LogConfig: { Type: "none", Config: {} },
  },
});
