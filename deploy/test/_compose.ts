import { execFile, type SpawnSyncOptions, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** The folder deploy/ with compose.yaml. */
export const deployDir = join(__dirname, "..");

/** Runs a script of this folder and parses its last line as JSON. */
export function prepared<T>(script: string, ...args: string[]): T {
  const options: SpawnSyncOptions = { cwd: deployDir, maxBuffer: 64 * 1024 ** 2 };
  const { stdout, stderr } = spawnSync(process.execPath, [script, ...args], options);
  const last = stdout.toString().trim().split("\n").at(-1);
  if (!last?.startsWith("{")) throw new Error(`${script} printed: ${stderr.toString()}`);
  return JSON.parse(last);
}

/** An installation with Compose, with its own project name, secrets, networks and volumes. */
export interface Installation {
  readonly envFile: string;
  /** The first part of the names of its containers and volumes. */
  readonly project: string;
  readonly secrets: Readonly<Record<string, string>>;
  /** Runs a command of Compose and returns its output. */
  compose(...args: string[]): string;
  /** Runs a command of the docker client and returns its output. */
  docker(...args: string[]): string;
  /** These two do the same without blocking. */
  composing(...args: string[]): Promise<string>;
  dockering(...args: string[]): Promise<string>;
  /** Removes everything. */
  remove(): void;
}

/** Limit of one command: Compose waits forever for a container that does not become healthy. */
const patienceMs = 360_000;

/** Creates the secrets of a new installation without starting it. `more` are further Compose files of this folder. */
export function install(
  command: readonly string[],
  settings: Readonly<Record<string, string>>,
  ...more: readonly string[]
): Installation {
  const dir = mkdtempSync(join(tmpdir(), "ci-compose-"));
  const envFile = join(dir, "env");
  const project = `ci-test-${randomBytes(4).toString("hex")}`;
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, DOCKER_HOST: process.env.DOCKER_HOST, ...settings };
  const limits = { maxBuffer: 64 * 1024 ** 2, timeout: patienceMs };
  const run = (program: string, args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(program, args, { env, encoding: "utf8", ...limits });
    if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr}`);
    return stdout;
  };
  const running = async (program: string, args: readonly string[]) =>
    (await promisify(execFile)(program, args, { env, encoding: "utf8", ...limits })).stdout;
  run("sh", [join(deployDir, "secrets.sh"), envFile]);
  const lines = run("cat", [envFile]).trim().split("\n");
  const secrets = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf("=")), line.replace(/^\w+=/, "")]),
  );
  const own = ["compose.receiver.yaml", ...more].map((file) => join(deployDir, "test", file));
  const files = [join(deployDir, "compose.yaml"), ...own];
  const [program = "", ...start] = command;
  const options = ["--env-file", envFile, "-p", project, ...files.flatMap((file) => ["-f", file])];
  const compose = (...args: string[]) => run(program, [...start, ...options, ...args]);
  return {
    envFile,
    project,
    secrets,
    compose,
    docker: (...args) => run("docker", args),
    composing: (...args) => running(program, [...start, ...options, ...args]),
    dockering: (...args) => running("docker", args),
    remove() {
      try {
        compose("down", "--volumes", "--timeout", "5");
      } catch (error) {
        // An engine that has stopped dozens of containers may count an end point that no container has, until it restarts.
        if (!/has active endpoints/.test((error as Error).message)) throw error;
        console.warn(`A network of ${project} is left behind: the engine says that it has active endpoints.`);
      }
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
