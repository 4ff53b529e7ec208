import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "@ci/testkit/eventually";

const main = join(__dirname, "../dist/main.js");

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running `ci`. */
export class Running {
  stdout = "";
  stderr = "";
  readonly ended: Promise<Ended>;

  constructor(readonly child: ChildProcess) {
    child.stdout?.on("data", (text) => {
      this.stdout += text;
    });
    child.stderr!.on("data", (text) => {
      this.stderr += text;
    });
    this.ended = new Promise((resolve) =>
      child.once("close", (code) => resolve({ code, stdout: this.stdout, stderr: this.stderr })),
    );
  }

  /** Resolves when the output holds a text. */
  async shows(text: string): Promise<void> {
    await eventually(() => expect(this.stdout + this.stderr).toContain(text));
  }
}

/** The command line of one user, in a folder of its own, without the environment of the tests. */
export class Ci implements Disposable {
  readonly #started: ChildProcess[] = [];
  readonly folder = mkdtempSync(join(tmpdir(), "ci-cli-"));
  readonly env: NodeJS.ProcessEnv = { PATH: process.env.PATH, XDG_CONFIG_HOME: join(this.folder, "config") };
  readonly home = join(this.folder, "config");

  start(
    words: readonly string[],
    env: NodeJS.ProcessEnv = {},
    cwd = this.folder,
    stdout: "pipe" | number = "pipe",
  ): Running {
    const stdio = ["pipe" as const, stdout, "pipe" as const];
    const child = spawn(process.execPath, [main, ...words], { cwd, env: { ...this.env, ...env }, stdio });
    this.#started.push(child);
    return new Running(child);
  }

  /** Runs `ci` to its end. */
  async run(
    words: readonly string[],
    { input = "", env = {} }: { input?: string; env?: NodeJS.ProcessEnv } = {},
  ): Promise<Ended> {
    const running = this.start(words, env);
    running.child.stdin!.end(input);
    return running.ended;
  }

  /** Returns what `ci` prints. Throws unless it exits with 0. */
  async out(...words: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(words);
    if (code !== 0) throw new Error(`ci ${words.join(" ")} exited with ${code}: ${stderr}`);
    return stdout;
  }

  /** Returns the record that `ci --json` prints. */
  async json(...words: string[]) {
    return JSON.parse(await this.out(...words, "--json"));
  }

  [Symbol.dispose](): void {
    for (const child of this.#started) child.kill("SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Returns a manifest with one job. */
export const manifestOf = (commands: readonly string[], more: object = {}, job: object = {}): string =>
  JSON.stringify({ driver: { type: "os" }, jobs: [{ stage: "test", commands, ...job }], ...more });
