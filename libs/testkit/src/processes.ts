import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Api, apiAt } from "./api.js";
import { identitySettings } from "./identities.js";
import { anyRate } from "./rates.js";
import { type Replica, reserveReplica } from "./replica.js";
import type { Suite } from "./suite.js";

const services = ["namespaces", "images", "builds", "webhooks", "runner", "gateway"] as const;
export type ServiceName = (typeof services)[number];

/** The six services as processes, to measure and kill. They run the output of `tsc -b`. `nth` numbers replicas from 0. */
export interface Processes extends AsyncDisposable {
  readonly api: Api;
  readonly origin: string;
  readonly token: string;
  /** The memory of a process without the pages of files, which the machine takes and gives back. */
  anonymousBytes(name: ServiceName, nth?: number): number;
  /** The greatest memory of a process since its last start. */
  peakRssBytes(name: ServiceName, nth?: number): number;
  /** Sends SIGKILL and waits until the process has exited. */
  kill(name: ServiceName, nth?: number): Promise<void>;
  /** Sends SIGTERM and waits until the process has exited. */
  stop(name: ServiceName, nth?: number): Promise<void>;
  /** Makes later starts use this tree of the project. */
  moveTo(root: string): void;
  /** Starts a process that has ended, and waits until it is ready. */
  start(name: ServiceName, nth?: number): Promise<void>;
  metrics(name: ServiceName, nth?: number): Promise<string>;
  /** Returns what the process has logged since its last start. */
  logs(name: ServiceName, nth?: number): string;
  addReplica(name: ServiceName): Promise<string>;
}

export const thisTree = join(__dirname, "../../..");

const adminToken = "processes-of-a-test-0123456789abcdef";

/** Starts all services of a suite from the tree at `root`. `settings` are environment variables for all of them. `heapOf` limits heaps, in MiB. */
export async function startProcesses(
  suite: Suite,
  settings: Readonly<Record<string, string>> = {},
  root = thisTree,
  heapOf?: (name: ServiceName) => number,
): Promise<Processes> {
  const replicas = await reserveReplicas();
  const runnerDir = mkdtempSync(join(tmpdir(), "ci-processes-"));
  const env = { ...sharedEnv(suite, replicas, runnerDir), ...settings };
  const processes = controls(replicas, root, (name) => ({
    ...env,
    ...identitySettings(name),
    MONGO_DB: `${suite.mongoDb}_${name}`,
    ...(heapOf && { NODE_OPTIONS: `--max-old-space-size=${heapOf(name)}` }),
  }));
  const stopAll = async () => {
    for (const replica of Object.values(replicas).flat()) await replica.end("SIGKILL");
    rmSync(runnerDir, { recursive: true, force: true });
  };
  try {
    await Promise.all(services.map((name) => processes.start(name)));
  } catch (error) {
    await stopAll();
    throw error;
  }
  const origin = env.PUBLIC_URL;
  const api = apiAt({ publicUrl: origin, origin, token: adminToken });
  return { ...processes, api, origin, token: adminToken, [Symbol.asyncDispose]: stopAll };
}

type Replicas = Readonly<Record<ServiceName, Replica[]>>;

async function reserveReplicas(): Promise<Replicas> {
  const entries = services.map(async (name): Promise<[string, Replica[]]> => [name, [await reserveReplica(name)]]);
  return Object.fromEntries(await Promise.all(entries)) as Record<ServiceName, Replica[]>;
}

function sharedEnv(suite: Suite, replicas: Replicas, runnerDir: string) {
  const addresses = services.map((name) => [`${name.toUpperCase()}_ADDR`, replicas[name][0]!.address]);
  return {
    ...process.env,
    ...Object.fromEntries(addresses),
    LOG_LEVEL: "warn",
    MONGO_URL: suite.mongoUrl,
    NATS_URL: suite.natsUrl,
    SUBJECT_PREFIX: suite.subjectPrefix,
    SECRET_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}`,
    CI_ADMIN_TOKEN: adminToken,
    CI_GUARD_ALLOW: "127.0.0.1/32",
    ...anyRate,
    PUBLIC_URL: `http://${replicas.gateway[0]!.address}`,
    DRIVERS: "os,docker",
    RUNNER_DRIVERS: "os",
    DOCKER_LOCAL_IMAGES: process.env.CI_TEST_IMAGE ?? "-",
    RUNNER_DRAIN: "0s",
    LEASE: "10min",
    RUNNER_DIR: runnerDir,
  };
}

function controls(replicas: Replicas, root: string, envOf: (name: ServiceName) => NodeJS.ProcessEnv) {
  let tree = root;
  const replica = (name: ServiceName, nth = 0): Replica => replicas[name][nth]!;
  const start = (name: ServiceName, nth?: number) => replica(name, nth).start(tree, envOf(name));
  return {
    start,
    kill: (name, nth) => replica(name, nth).end("SIGKILL"),
    stop: (name, nth) => replica(name, nth).end("SIGTERM"),
    moveTo(otherRoot) {
      tree = otherRoot;
    },
    anonymousBytes: (name, nth) => replica(name, nth).anonymousBytes(),
    peakRssBytes: (name, nth) => replica(name, nth).peakRssBytes(),
    metrics: (name, nth) => replica(name, nth).metrics(),
    logs: (name, nth) => replica(name, nth).logs(),
    async addReplica(name) {
      const nth = replicas[name].push(await reserveReplica(name)) - 1;
      await start(name, nth);
      return replica(name, nth).address;
    },
  } satisfies Partial<Processes>;
}
