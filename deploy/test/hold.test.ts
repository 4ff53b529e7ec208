import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { eventually } from "@ci/testkit/eventually";
import { freePort } from "@ci/testkit/ports";
import { deployDir } from "./_compose.js";

const fileOf = (name: string) => JSON.stringify(pathToFileURL(join(deployDir, "local", name)).href);

let dir: string;
const started: Script[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "ci-hold-"));
});
afterEach(async () => {
  await end(...started.splice(0));
  rmSync(dir, { recursive: true, force: true });
});

interface Script {
  readonly child: ChildProcess;
  readonly output: () => string;
}

function runningNode(args: readonly string[], env = process.env): Script {
  const child = spawn(process.execPath, args, { env });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
  const script = { child, output: () => output };
  started.push(script);
  return script;
}

const running = (code: string, ...args: string[]) => runningNode(["--input-type=module", "-e", code, ...args]);

async function end(...scripts: Script[]): Promise<void> {
  await Promise.all(
    scripts.map(async ({ child }) => {
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    }),
  );
}

describe("the data folder of npm start", () => {
  const holding = () =>
    running(
      `
      const { holdData } = await import(${fileOf("start/settings.mjs")});
      try { await holdData(process.argv[1]); console.log("held"); setInterval(() => {}, 1_000); }
      catch (error) { console.log("refused: " + error.message); }`,
      dir,
    );

  /** Starts several processes that want the folder; returns the one that holds it. */
  async function holderOf(many: number): Promise<Script> {
    const scripts = Array.from({ length: many }, holding);
    await eventually(() => expect(scripts.every(({ output }) => output().endsWith("\n"))).toBe(true));
    const held = scripts.filter(({ output }) => output() === "held\n");
    await end(...scripts.filter((script) => !held.includes(script)));
    expect(held).toHaveLength(1);
    return held[0]!;
  }

  it("belongs to one of the processes that start at the same moment, also after a crash", async () => {
    await end(await holderOf(6));
    expect(existsSync(join(dir, "holder.json"))).toBe(true);
    await end(await holderOf(6));
    await eventually(() => expect(readdirSync(dir)).toEqual(["holder.json"]));
  });

  it("is free if the process id of a crashed holder belongs to another process", async () => {
    writeFileSync(join(dir, "holder.json"), JSON.stringify({ pid: process.pid, startTime: "1" }));
    await end(await holderOf(1));
    writeFileSync(join(dir, "holder.json"), "");
    await end(await holderOf(1));
  });

  it("belongs to the children of a killed holder until they have ended", async () => {
    const file = join(dir, "last-words");
    const child = `process.on("SIGTERM", () => setInterval(() => fs.existsSync("${file}") && process.exit(), 10)); console.log("up"); setInterval(() => {}, 1_000);`;
    const first = running(
      `
      const { holdData } = await import(${fileOf("start/settings.mjs")});
      const { startProcess } = await import(${fileOf("start/process.mjs")});
      await holdData(process.argv[1]);
      startProcess({ command: [process.execPath, "-e", process.argv[2]], logFile: process.argv[1] + "/log" });`,
      ...[dir, child],
    );
    await eventually(() => {
      expect(readFileSync(join(dir, "log"), "utf8")).toBe("up\n");
      expect(existsSync(join(dir, "guardian.json"))).toBe(true);
    });
    await end(first);
    const second = holding();
    const waiting = "Waiting until the processes of a killed start have ended ...\n";
    await eventually(() => expect(second.output()).toBe(waiting));
    writeFileSync(file, "");
    await eventually(() => expect(second.output()).toBe(`${waiting}held\n`));
  });

  it("stays as it is when --fresh names it while a system runs in it", async () => {
    const holder = await holderOf(1);
    writeFileSync(join(dir, "settings.json"), "{}");
    const env = { ...process.env, CI_DATA: dir, CI_PORT: String(await freePort()), MONGO_URL: "" };
    const { child, output } = runningNode([join(deployDir, "local/start/start.mjs"), "--fresh"], env);
    await once(child, "exit");
    const sentence = `Service CI runs in ${dir} already, as process ${holder.child.pid}: set CI_DATA to another folder, or stop it.\n`;
    expect([child.exitCode, output()]).toEqual([1, sentence]);
    expect(readFileSync(join(dir, "settings.json"), "utf8")).toBe("{}");
  });
});

test.each(["SIGINT", "SIGKILL"] as const)(
  "a temporary folder is removed when %s has ended its process and the children",
  async (signal) => {
    const child = `process.on("SIGTERM", () => process.exit(fs.mkdirSync(process.argv[1] + "/last"))); console.log("up"); setInterval(() => {}, 1_000);`;
    const script = running(
      `
      const { temporaryFolder } = await import(${fileOf("start/guardian.mjs")});
      const { startProcess } = await import(${fileOf("start/process.mjs")});
      const folder = temporaryFolder("ci-", process.argv[1]);
      startProcess({ command: [process.execPath, "-e", process.argv[2], folder], logFile: folder + "/log" });`,
      ...[dir, child],
    );
    await eventually(() => expect(readFileSync(join(dir, readdirSync(dir)[0]!, "log"), "utf8")).toBe("up\n"));
    script.child.kill(signal);
    await eventually(() => expect(readdirSync(dir)).toEqual([]));
  },
);

test("a temporary folder that was kept, or removed and made again, outlives its process", async () => {
  const { child, output } = running(
    `
    const { existsSync, mkdirSync } = await import("node:fs");
    const { keepFolder, removeFolder, temporaryFolder } = await import(${fileOf("start/guardian.mjs")});
    const [kept, again] = ["kept", "again", "left"].map((name) => temporaryFolder(name + "-", process.argv[1]));
    keepFolder(kept);
    removeFolder(again);
    console.log(existsSync(again));
    mkdirSync(again);`,
    dir,
  );
  await once(child, "exit");
  expect(output()).toBe("false\n");
  const names = () => readdirSync(dir).map((name) => name.split("-")[0]);
  await eventually(() => expect(names().toSorted()).toEqual(["again", "kept"]));
});

test("a temporary folder that cannot be removed keeps neither the others nor the guardian's file", async () => {
  const [folder, file] = [join(dir, "folder"), join(dir, "guardian.json")];
  mkdirSync(folder);
  const { child } = runningNode([join(deployDir, "local/start/guardian.mjs"), file]);
  await eventually(() => expect(existsSync(file)).toBe(true));
  // No file system has names as long as this.
  child.stdin!.end(`=${join(dir, "x".repeat(5_000))}\n=${folder}\n`);
  await eventually(() => expect(readdirSync(dir)).toEqual([]));
});

describe("a lock of provisioning", () => {
  const cache = () => join(dir, ".cache");
  const lockFile = () => join(cache(), "one.lock");
  beforeEach(() => {
    const provision = join(dir, "deploy/local/provision");
    for (const folder of [provision, cache()]) mkdirSync(folder, { recursive: true });
    for (const name of ["machine.mjs", "hold.mjs"])
      copyFileSync(join(deployDir, "local/provision", name), join(provision, name));
  });

  /** Runs work under a lock, in a repository of its own. */
  const locked = (work: string) =>
    running(
      `
      const { withLock } = await import(process.argv[1]);
      await withLock("one", async () => { ${work} }).catch(({ message }) => console.log(message));`,
      pathToFileURL(join(dir, "deploy/local/provision/machine.mjs")).href,
    );
  const work = "console.log('worked')";

  it.each([
    ["a dead process", JSON.stringify({ pid: 999_999_999, startTime: "1" })],
    ["a process whose id another has now", JSON.stringify({ pid: process.pid, startTime: "1" })],
    ["a version that noted no start time", String(process.pid)],
    ["a process that left an empty file", ""],
  ])("is taken over from %s", async (_whose, text) => {
    writeFileSync(lockFile(), text);
    const { child, output } = locked(work);
    await once(child, "exit");
    expect(output()).toBe("worked\n");
    expect(readdirSync(cache())).toEqual([]);
  });

  it("says once which process it waits for", async () => {
    const first = locked("console.log('works'); await new Promise((resolve) => setTimeout(resolve, 1e9));");
    await eventually(() => expect(first.output()).toBe("works\n"));
    const second = locked(work);
    const waiting = `Waiting for process ${first.child.pid} (${lockFile()}) ...\n`;
    await eventually(() => expect(second.output()).toBe(waiting));
    await end(first);
    await once(second.child, "exit");
    expect(second.output()).toBe(`${waiting}worked\n`);
  });

  it("fails if it cannot be written", async () => {
    rmSync(cache(), { recursive: true });
    // Nobody can make files here.
    symlinkSync("/proc", cache());
    const { child, output } = locked(work);
    await once(child, "exit");
    expect(output()).toMatch(/^E[A-Z]+: .* open '.*\.cache\/one\.lock/);
  });
});
