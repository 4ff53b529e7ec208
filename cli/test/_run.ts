import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Ci, type Ended, type Running } from "./_ci.js";

/** A user with a repository, who knows no server. */
export class LocalUser implements Disposable {
  readonly ci = new Ci();
  readonly repository = join(this.ci.folder, "app");
  readonly #env = { TMPDIR: this.ci.folder, XDG_CACHE_HOME: join(this.ci.folder, "cache"), JOB_EGRESS: "open" };

  constructor() {
    // Jobs of the os driver may have other users.
    chmodSync(this.ci.folder, 0o711);
    mkdirSync(this.repository);
  }

  write(files: Readonly<Record<string, string>>): this {
    for (const [name, text] of Object.entries(files)) {
      const path = join(this.repository, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    return this;
  }

  git(...words: string[]): string {
    const who = ["-c", "user.name=ann", "-c", "user.email=ann@example.com", "-c", "init.defaultBranch=main"];
    return execFileSync("git", [...who, ...words], { cwd: this.repository, encoding: "utf8" });
  }

  start(words: readonly string[], env: NodeJS.ProcessEnv = {}, stdout: "pipe" | number = "pipe"): Running {
    return this.ci.start(["run", ...words], { ...this.#env, ...env }, this.repository, stdout);
  }

  /** Runs `ci run` to its end, with this manifest. */
  run(manifest: string | object, words: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
    const running = this.start(["-", ...words], env);
    running.child.stdin!.end(typeof manifest === "string" ? manifest : JSON.stringify(manifest));
    return running.ended;
  }

  /** Lists the folders of builds that are on this machine. */
  left(): string[] {
    const folders = readdirSync(this.ci.folder).filter((name) => name.startsWith("service-ci-run-"));
    const runs = folders.flatMap((name) =>
      readdirSync(join(this.ci.folder, name)).map((run) => join(this.ci.folder, name, run)),
    );
    return runs.filter(existsSync).flatMap((run) => readdirSync(run).filter((name) => /^(os|docker)\./.test(name)));
  }

  [Symbol.dispose](): void {
    this.ci[Symbol.dispose]();
  }
}

/** Returns a manifest with one job in the folder `app`. */
export const inApp = (commands: readonly string[], more: object = {}, job: object = {}): object => ({
  driver: { type: "os" },
  jobs: [{ stage: "test", name: "unit", commands: ["cd app", ...commands], ...job }],
  ...more,
});

/** Returns what a job has printed, without the name before each line and without the trace of its commands. */
export const printedBy = (job: string, { stdout }: Ended): string[] =>
  stdout.split("\n").flatMap((line) => {
    const [, name, text] = /^(\S+) +\| (.*)$/.exec(line) ?? [];
    return name === job && text !== undefined && !text.startsWith("+ ") ? [text] : [];
  });
