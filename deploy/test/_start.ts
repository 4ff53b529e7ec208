import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { eventually } from "@ci/testkit/eventually";
import { freePort } from "@ci/testkit/ports";
import type { Suite } from "@ci/testkit/suite";
import { deployDir } from "./_compose.js";

/** Returns the id, parent and command line of all processes of this machine. */
const allProcesses = () =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const [state, parent] = readFileSync(`/proc/${pid}/stat`, "utf8")
          .replace(/^.*\) /, "")
          .split(" ");
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
        return state === "Z" ? [] : [{ pid: Number(pid), parent: Number(parent), command }];
      } catch {
        return [];
      }
    });

export const isAlive = (pid: number) => allProcesses().some((running) => running.pid === pid);

/** A running `npm start` with its own data folder. */
export class Start implements AsyncDisposable {
  readonly url: string;
  readonly #child: ChildProcess;
  #output = "";

  private constructor(
    readonly dataDir: string,
    port: number,
    settings: NodeJS.ProcessEnv,
    flags: readonly string[],
  ) {
    // Users of jobs must be able to enter it.
    chmodSync(dirname(dataDir), 0o711);
    this.url = `http://127.0.0.1:${port}`;
    const env = { ...process.env, CI_DATA: dataDir, CI_PORT: String(port), TMPDIR: dirname(dataDir), ...settings };
    this.#child = spawn(process.execPath, [join(deployDir, "local/start/start.mjs"), ...flags], { env });
    for (const stream of [this.#child.stdout!, this.#child.stderr!])
      stream.on("data", (text) => {
        this.#output += text;
      });
  }

  /** Runs `npm start` with these settings. Undefined ones are unset. */
  static async with(settings: NodeJS.ProcessEnv, ...flags: string[]): Promise<Start> {
    return new Start(join(mkdtempSync(join(tmpdir(), "ci-start-")), "data"), await freePort(), settings, flags);
  }

  get output(): string {
    return this.#output;
  }

  /** Resolves when the output matches. A busy machine needs long for downloads. */
  async until(text: string | RegExp): Promise<void> {
    const patience = { withinMs: 150_000, progress: () => this.#output.length };
    await eventually(() => {
      if (this.#child.exitCode !== null) throw new Error(`npm start has ended: ${this.#output}`);
      expect(this.#output).toMatch(text);
    }, patience);
  }

  /** Resolves with the exit code. */
  async ended(): Promise<number | null> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, "exit");
    return this.#child.exitCode;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  get children(): { pid: number; command: string }[] {
    return allProcesses().filter(({ parent }) => parent === this.#child.pid);
  }

  /** Returns the process id of a service, MongoDB or NATS. */
  processOf(name: string): number {
    const found = this.children.find(({ command }) => command.includes(`/${name}`));
    if (!found) throw new Error(`${name} does not run`);
    return found.pid;
  }

  /** Returns the environment variables of a service or server. */
  environmentOf(name: string): Map<string, string> {
    const entries = readFileSync(`/proc/${this.processOf(name)}/environ`, "utf8")
      .split("\0")
      .filter(Boolean);
    return new Map(entries.map((entry) => entry.split(/=(.*)/s) as [string, string]));
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** Returns the lines of a service's log. */
  log(name: string): string[] {
    const text = readFileSync(join(this.dataDir, `logs/${name}.log`), "utf8");
    return text.split("\n").filter((line) => line !== "");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill("SIGTERM");
    await this.ended();
    rmSync(dirname(this.dataDir), { recursive: true, force: true });
  }
}

/** Returns the settings that name the tests' servers. */
export const onServersOf = ({ mongoUrl, mongoDb, natsUrl, subjectPrefix }: Suite) => ({
  MONGO_URL: mongoUrl,
  MONGO_DB: mongoDb,
  NATS_URL: natsUrl,
  SUBJECT_PREFIX: subjectPrefix,
});
