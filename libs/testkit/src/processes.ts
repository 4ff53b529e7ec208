import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Api, apiAt } from "./api.js";
import { eventually } from "./eventually.js";
import type { Suite } from "./suite.js";

const names = ["namespaces", "images", "builds", "webhooks", "runner", "gateway"] as const;
export type ServiceName = (typeof names)[number];

/** The six services as processes of their own, to be measured and killed. They run what `tsc -b` has built. */
export interface Processes extends AsyncDisposable {
  readonly api: Api;
  readonly origin: string;
  readonly token: string;
  /** Memory the process has in RAM now. */
  rssBytes(name: ServiceName): number;
  /** Ends a process the hard way: nothing of it runs any more when this resolves. */
  kill(name: ServiceName): Promise<void>;
  /** Starts it again and waits until it is ready. */
  start(name: ServiceName): Promise<void>;
  /** Starts one more of a service beside the first and answers its address; it ends with the others. */
  another(name: ServiceName): Promise<string>;
}

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const server = createServer().once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });

/** Ports handed out already, for some are not listened on yet. */
const given = new Set<number>();

/** A port below those that outgoing connections take: such a connection could be quicker than the service. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 15_000);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
}

interface Ports {
  readonly grpc: number;
  readonly admin: number;
}

const freePorts = async (): Promise<Ports> => ({ grpc: await freePort(), admin: await freePort() });

/** Starts all services of a suite; `settings` are environment variables for all of them. */
export async function startProcesses(
  suite: Suite,
  settings: Readonly<Record<string, string>> = {},
): Promise<Processes> {
  const ports: Record<string, Ports> = {};
  for (const name of names) ports[name] = await freePorts();
  const token = "processes-of-a-test-0123456789abcdef";
  const dir = mkdtempSync(join(tmpdir(), "ci-processes-"));
  const children = new Map<ServiceName, ChildProcess>();
  const others: ChildProcess[] = [];
  const shared = {
    ...process.env,
    ...Object.fromEntries(names.map((name) => [`${name.toUpperCase()}_ADDR`, `127.0.0.1:${ports[name]!.grpc}`])),
    LOG_LEVEL: "warn",
    MONGO_URL: suite.mongoUrl,
    NATS_URL: suite.natsUrl,
    SUBJECT_PREFIX: suite.subjectPrefix,
    SECRET_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}`,
    CI_ADMIN_TOKEN: token,
    CI_GUARD_ALLOW: "127.0.0.1/32",
    PUBLIC_URL: `http://127.0.0.1:${ports.gateway!.grpc}`,
    DRIVERS: "os,docker",
    RUNNER_DRIVERS: "os",
    RUNNER_DIR: dir,
    ...settings,
  };

  async function run(name: ServiceName, { grpc, admin }: Ports, keep: (child: ChildProcess) => void): Promise<void> {
    const own = {
      LISTEN: `127.0.0.1:${grpc}`,
      ADMIN_LISTEN: `127.0.0.1:${admin}`,
      MONGO_DB: `${suite.mongoDb}_${name}`,
    };
    const script = join(__dirname, "../../../services", name, "dist/main.js");
    const child = spawn(process.execPath, [script], { env: { ...shared, ...own }, stdio: ["ignore", "pipe", "pipe"] });
    const said: string[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => said.push(String(text)));
    keep(child);
    await eventually(
      async () => {
        if (child.exitCode !== null) throw new Error(`${name} has ended: ${said.join("")}`);
        const { ok } = await fetch(`http://127.0.0.1:${admin}/readyz`);
        if (!ok) throw new Error(`${name} is not ready`);
      },
      { withinMs: 120_000 },
    );
  }

  const start = (name: ServiceName) => run(name, ports[name]!, (child) => children.set(name, child));

  async function end(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  }

  const stopAll = async () => {
    for (const child of [...others, ...children.values()]) await end(child);
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    await Promise.all(names.map(start));
  } catch (error) {
    await stopAll();
    throw error;
  }
  const origin = shared.PUBLIC_URL;
  return {
    api: apiAt({ publicUrl: origin, origin, token }),
    origin,
    token,
    rssBytes(name) {
      const status = readFileSync(`/proc/${children.get(name)!.pid}/status`, "utf8");
      return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
    },
    kill: (name) => end(children.get(name)!),
    start,
    async another(name) {
      const at = await freePorts();
      await run(name, at, (child) => others.push(child));
      return `127.0.0.1:${at.grpc}`;
    },
    [Symbol.asyncDispose]: stopAll,
  };
}
