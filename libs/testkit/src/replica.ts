import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "./eventually.js";
import { freePort } from "./ports.js";

/** Memory for new objects, as in the images. */
const youngGeneration = "--max-semi-space-size=8";

/** A service as a child process. It keeps its ports when it is restarted. */
export interface Replica {
  /** Where it serves gRPC, or HTTP in case of the gateway. */
  readonly address: string;
  /** Starts the service from the tree at `root` and waits until it is ready. */
  start(root: string, env: NodeJS.ProcessEnv): Promise<void>;
  end(signal: NodeJS.Signals): Promise<void>;
  anonymousBytes(): number;
  /** The greatest memory that it has had since its last start. */
  peakRssBytes(): number;
  metrics(): Promise<string>;
  logs(): string;
}

/** Reserves ports for a service without starting it. */
export async function reserveReplica(service: string): Promise<Replica> {
  const address = `127.0.0.1:${await freePort()}`;
  const adminAddress = `127.0.0.1:${await freePort()}`;
  let child: ChildProcess | undefined;
  let output: string[] = [];
  const memory = (line: RegExp) => Number(line.exec(readFileSync(`/proc/${child!.pid}/status`, "utf8"))?.[1]) * 1024;
  return {
    address,
    async start(root, env) {
      const chunks: string[] = [];
      const node = process.env.CI_NODE || process.execPath;
      const main = join(root, "services", service, "dist/main.js");
      const started = spawn(node, [youngGeneration, main], {
        env: { MALLOC_ARENA_MAX: "2", ...env, LISTEN: address, ADMIN_LISTEN: adminAddress },
        stdio: ["ignore", "pipe", "pipe"],
      });
      for (const stream of [started.stdout, started.stderr]) stream.on("data", (chunk) => chunks.push(String(chunk)));
      child = started;
      output = chunks;
      const isReady = async () => {
        if (started.exitCode !== null) throw new Error(`${service} has ended: ${chunks.join("")}`);
        const { ok } = await fetch(`http://${adminAddress}/readyz`);
        if (!ok) throw new Error(`${service} is not ready`);
      };
      await eventually(isReady, { withinMs: 120_000 });
    },
    async end(signal) {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      child.kill(signal);
      await once(child, "exit");
    },
    anonymousBytes: () => memory(/^RssAnon:\s+(\d+) kB/m),
    peakRssBytes: () => memory(/^VmHWM:\s+(\d+) kB/m),
    metrics: async () => (await fetch(`http://${adminAddress}/metrics`)).text(),
    logs: () => output.join(""),
  };
}
