import type { ContainerCreateOptions } from "dockerode";
import type { DockerConfig } from "../../config.js";
import type { Order } from "../../driver.js";

/** What a root user in a container needs for installing and running things, and no more. */
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

/** What all containers of a build have in common. */
export interface ContainerPlan {
  readonly order: Order;
  readonly imageId: string;
  /** Absolute path of the script. */
  readonly script: string;
  /** The build's volume and its network are both called so. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly limits: Pick<DockerConfig, "cpus" | "memoryBytes" | "pids" | "capabilities">;
}

/** A container for one job: hardened, without access to the host, with its output going nowhere but to us. */
export const containerOf = ({
  order: { workspace, variables },
  imageId,
  script,
  name,
  labels,
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
    Mounts: [{ Type: "volume", Source: name, Target: workspace }],
    CapDrop: ["ALL"],
    CapAdd: [...capabilities, ...limits.capabilities],
    SecurityOpt: ["no-new-privileges"],
    PidsLimit: limits.pids,
    Memory: limits.memoryBytes,
    // Memory and swap together: none of it is swap.
    MemorySwap: limits.memoryBytes,
    NanoCpus: Math.round(limits.cpus * 1e9),
    // We listen to the container itself: a log would only fill the disk of the host.
    LogConfig: { Type: "none", Config: {} },
  },
});
