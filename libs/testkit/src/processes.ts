import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Api, apiAt } from "./api.js";
import { eventually } from "./eventually.js";
import { identitySettings } from "./identities.js";
import type { Suite } from "./suite.js";

const names = ["namespaces", "images", "builds", "webhooks", "runner", "gateway"] as const;
export type ServiceName = (typeof names)[number];

/** The six services as processes, to measure and kill. They run the output of `tsc -b`. */
export interface Processes extends AsyncDisposable {
  readonly api: Api;
  readonly origin: string;
  readonly token: string;
  /** Resident memory; `nth` numbers replicas from 0. */
  rssBytes(name: ServiceName, nth?: number): number;
  /** Kills a process; it has ended when this resolves. */
  kill(name: ServiceName, nth?: number): Promise<void>;
  /** Terminates a process, and waits until it has ended. */
  stop(name: ServiceName, nth?: number): Promise<void>;
  /** Starts processes from another tree of this project from now on. */
  moveTo(root: string): void;
  /** Starts it again and waits until it is ready. */
  start(name: ServiceName, nth?: number): Promise<void>;
  /** Fetches `/metrics`. */
  metrics(name: ServiceName, nth?: number): Promise<string>;
  /** Returns what a process has logged since its last start. */
  said(name: ServiceName, nth?: number): string;
  /** Starts one more replica of a service and returns its address. */
  another(name: ServiceName): Promise<string>;
}

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const server = createServer().once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });

/** Handed out before, but perhaps not in use yet. */
const reserved = new Set<number>();

/** Returns a port below the ephemeral range, so that no outgoing connection takes it first. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 15_000);
    if (reserved.has(port) || !(await isFree(port))) continue;
    reserved.add(port);
    return port;
  }
}

interface Ports {
  readonly grpc: number;
  readonly admin: number;
}

interface Replica {
  readonly ports: Ports;
  child?: ChildProcess;
  said: string[];
}

const freePorts = async (): Promise<Ports> => ({ grpc: await freePort(), admin: await freePort() });

export const thisTree = join(__dirname, "../../..");

/** Starts all services of a suite, from the tree at `root`; `settings` are environment variables for all of them. */
export async function startProcesses(
  suite: Suite,
  settings: Readonly<Record<string, string>> = {},
  root = thisTree,
): Promise<Processes> {
  let tree = root;
  const replicas = new Map<ServiceName, Replica[]>();
  const add = async (name: ServiceName): Promise<number> => {
    const all = replicas.get(name) ?? [];
    replicas.set(name, all);
    return all.push({ ports: await freePorts(), said: [] }) - 1;
  };
  const replica = (name: ServiceName, nth = 0): Replica => replicas.get(name)![nth]!;
  for (const name of names) await add(name);
  const token = "processes-of-a-test-0123456789abcdef";
  const dir = mkdtempSync(join(tmpdir(), "ci-processes-"));
  const shared = {
    ...process.env,
    ...Object.fromEntries(names.map((name) => [`${name.toUpperCase()}_ADDR`, `127.0.0.1:${replica(name).ports.grpc}`])),
    LOG_LEVEL: "warn",
    MONGO_URL: suite.mongoUrl,
    NATS_URL: suite.natsUrl,
    SUBJECT_PREFIX: suite.subjectPrefix,
    SECRET_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}`,
    CI_ADMIN_TOKEN: token,
    CI_GUARD_ALLOW: "127.0.0.1/32",
    PUBLIC_URL: `http://127.0.0.1:${replica("gateway").ports.grpc}`,
    DRIVERS: "os,docker",
    RUNNER_DRIVERS: "os",
    RUNNER_DRAIN: "0s",
    RUNNER_DIR: dir,
    ...settings,
  };

  async function start(name: ServiceName, nth = 0): Promise<void> {
    const one = replica(name, nth);
    const { grpc, admin } = one.ports;
    const own = {
      ...identitySettings(name),
      LISTEN: `127.0.0.1:${grpc}`,
      ADMIN_LISTEN: `127.0.0.1:${admin}`,
      MONGO_DB: `${suite.mongoDb}_${name}`,
    };
    const script = join(tree, "services", name, "dist/main.js");
    const child = spawn(process.execPath, [script], { env: { ...shared, ...own }, stdio: ["ignore", "pipe", "pipe"] });
    one.child = child;
    one.said = [];
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => one.said.push(String(text)));
    await eventually(
      async () => {
        if (child.exitCode !== null) throw new Error(`${name} has ended: ${one.said.join("")}`);
        const { ok } = await fetch(`http://127.0.0.1:${admin}/readyz`);
        if (!ok) throw new Error(`${name} is not ready`);
      },
      { withinMs: 120_000 },
    );
  }

  async function end({ child }: Replica, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, "exit");
  }

  const stopAll = async () => {
    for (const one of [...replicas.values()].flat()) await end(one);
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    await Promise.all(names.map((name) => start(name)));
  } catch (error) {
    await stopAll();
    throw error;
  }
  const origin = shared.PUBLIC_URL;
  return {
    api: apiAt({ publicUrl: origin, origin, token }),
    origin,
    token,
    rssBytes(name, nth) {
      const status = readFileSync(`/proc/${replica(name, nth).child!.pid}/status`, "utf8");
      return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
    },
    kill: (name, nth) => end(replica(name, nth)),
    stop: (name, nth) => end(replica(name, nth), "SIGTERM"),
    moveTo(otherRoot) {
      tree = otherRoot;
    },
    start,
    metrics: async (name, nth) => (await fetch(`http://127.0.0.1:${replica(name, nth).ports.admin}/metrics`)).text(),
    said: (name, nth) => replica(name, nth).said.join(""),
    async another(name) {
      const nth = await add(name);
      await start(name, nth);
      return `127.0.0.1:${replica(name, nth).ports.grpc}`;
    },
    [Symbol.asyncDispose]: stopAll,
  };
}
