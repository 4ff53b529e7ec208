import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { ContainerCreateOptions } from "dockerode";
import type { Job, Order, Service, Variable } from "../../driver.js";
import { variablesOf } from "../variables.js";
import type { DockerConfig } from "./docker-config.js";
import type { SharedVolume } from "./files/cache-volumes.js";

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
  /** The job that the container is for. */
  readonly job: Job;
  readonly network: string;
  /** The volume of the workspace. */
  readonly volume: string;
  readonly labels: Readonly<Record<string, string>>;
  /** What caches keep outside the workspace. */
  readonly shared: readonly SharedVolume[];
  readonly limits: Pick<DockerConfig, "cpus" | "memoryBytes" | "diskBytes" | "files" | "pids" | "capabilities"> & {
    /** A filter of system calls instead of the engine's own. */
    readonly seccomp?: string | undefined;
  };
}

export const spareLabel = "ci.spare";

/** An empty label means none. Without it, a container would have that of its image, which anybody may have made. */
const ownLabels = (labels: ContainerPlan["labels"]) => ({ [spareLabel]: "", "ci.installation": "", ...labels });

/** What every container of a build may do and use. */
const hardened = (limits: ContainerPlan["limits"]) => ({
  CapDrop: ["ALL"],
  CapAdd: [...capabilities, ...limits.capabilities],
  SecurityOpt: ["no-new-privileges", ...(limits.seccomp ? [`seccomp=${limits.seccomp}`] : [])],
  PidsLimit: limits.pids,
  Memory: limits.memoryBytes,
  // Memory plus swap: equal means no swap.
  MemorySwap: limits.memoryBytes,
  NanoCpus: Math.round(limits.cpus * 1e9),
});

const maxArgumentBytes = fixedLimit({
  max: 64 * 1024,
  unit: "bytes",
  about: "script of a docker job in its container's command line",
  effect: "a longer one is copied into the container, which takes longer",
});

/** Reports whether a job's script can be an argument. Linux takes 128 KiB. */
export const isArgument = ({ script }: Job): boolean => Buffer.byteLength(script) <= maxArgumentBytes;

/** Writes the script to a file and becomes the shell that runs it. Copying a file in takes the engine 25 ms and a process. */
const writeAndRun = '(umask 077 && printf %s "$1" >"$0") && exec /bin/sh "$0"';

const commandOf = (job: Job, script: string): string[] =>
  isArgument(job) ? ["-c", writeAndRun, script, job.script] : [script];

const environmentOf = (variables: readonly Variable[]): string[] =>
  variables.map(({ key, value }) => `${key}=${value}`);

const mountOf = ({ name, target }: SharedVolume) => ({ Type: "volume" as const, Source: name, Target: target });

export const containerOf = ({ order, job, volume, ...plan }: ContainerPlan): ContainerCreateOptions => ({
  Image: plan.imageId,
  Entrypoint: ["/bin/sh"],
  Cmd: commandOf(job, plan.script),
  User: "0:0",
  WorkingDir: order.workspace,
  Env: environmentOf(variablesOf(order, job, order.workspace)),
  Labels: ownLabels(plan.labels),
  Healthcheck: { Test: ["NONE"] },
  HostConfig: {
    NetworkMode: plan.network,
    Mounts: [{ name: volume, target: order.workspace }, ...plan.shared].map(mountOf),
    ...hardened(plan.limits),
    // Output is read from the container; a log would only fill the host's disk.
    LogConfig: { Type: "none", Config: {} },
  },
});

/** A container whose shell waits for a job. The job brings its variables. */
export const waitingContainer = (plan: ContainerPlan, command: string[]): ContainerCreateOptions => ({
  ...containerOf(plan),
  Cmd: command,
  Env: [],
  OpenStdin: true,
  StdinOnce: true,
});

type ServicePlan = Pick<ContainerPlan, "imageId" | "network" | "labels" | "limits"> & { readonly service: Service };

/** A service runs as its image says. The end of its log is all that is kept of its output. */
export const serviceContainer = ({ service, network, ...plan }: ServicePlan): ContainerCreateOptions => ({
  Image: plan.imageId,
  ...(service.command.length > 0 ? { Cmd: [...service.command] } : {}),
  Env: environmentOf(service.variables),
  Labels: ownLabels(plan.labels),
  HostConfig: {
    NetworkMode: network,
    ...hardened(plan.limits),
    LogConfig: { Type: "json-file", Config: { "max-size": "1m", "max-file": "2" } },
  },
  NetworkingConfig: { EndpointsConfig: { [network]: { Aliases: [service.name] } } },
});
