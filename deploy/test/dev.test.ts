import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { deployDir } from "./_compose.js";

/** Runs a script that imports a file of deploy/local/start, and parses its output as JSON. */
async function runScript(file: string, script: string, ...args: string[]): Promise<unknown> {
  const url = pathToFileURL(join(deployDir, "local/start", file)).href;
  const source = `const module = await import(${JSON.stringify(url)});${script}`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", source, ...args]);
  return JSON.parse(stdout);
}

describe("npm run dev", () => {
  const allServices = ["builds", "gateway", "images", "namespaces", "runner", "webhooks"];
  it.each([
    ["services/images/src/config.ts", ["images"]],
    ["libs/rest/src/build.ts", ["builds", "gateway", "namespaces", "webhooks"]],
    ["libs/kit/src/rpc/serve.ts", allServices],
    ["proto/ci/builds/v1/builds.proto", allServices],
    ["web/src/pages/build.tsx", ["gateway"]],
    ["client/src/follow.ts", ["gateway"]],
    ["web/src/style.css", ["gateway"]],
    ["web/src/ansi.test.ts", []],
    ["services/images/src/config.test.ts", []],
    ["libs/proto/src/gen/ci/builds/v1/builds.ts", []],
  ])("after a change of %s restarts %j", async (path, services) => {
    const script = `console.log(JSON.stringify(module.servicesUsing(${JSON.stringify([path])}).sort()))`;
    expect(await runScript("dependents.mjs", script)).toEqual(services);
  });

  it("replaces a running process once, without reporting a crash", async () => {
    const dir = mkdtempSync(join(tmpdir(), "ci-dev-"));
    const script = `
      const { readFileSync } = await import("node:fs");
      const logFile = process.argv[1] + "/part.log";
      const logged = () => readFileSync(logFile, "utf8").split("\\n").filter(Boolean);
      let starts = 1;
      const command = [process.execPath, "-e", "console.log(process.pid); setInterval(() => {}, 1000)"];
      const ready = async () => (logged().length === starts ? undefined : "its first line");
      const messages = [];
      const part = { name: "part", command, needs: [], ready };
      const options = { logDir: process.argv[1], restart: true, say: (line) => messages.push(line) };
      const { replace, stop } = await module.supervise([part], options);
      starts++;
      const failure = await replace("part");
      await stop();
      const [old, running] = logged();
      console.log(JSON.stringify({ failure: failure ?? null, messages, replaced: old !== running, starts: logged().length }));`;
    const outcome = await runScript("supervisor.mjs", script, dir);
    rmSync(dir, { recursive: true });
    expect(outcome).toEqual({ failure: null, messages: [], replaced: true, starts: 2 });
  });
});

describe("a part that dies after a folder was removed", () => {
  /** Runs a part in a data folder of its own. It dies when the folder with this name is gone. */
  async function afterRemovalOf(name: string): Promise<unknown> {
    const dir = mkdtempSync(join(tmpdir(), "ci-dev-"));
    const script = `
      const { existsSync, mkdirSync, rmSync } = await import("node:fs");
      const [dataDir, removed] = process.argv.slice(1);
      mkdirSync(dataDir);
      const life = "setInterval(() => fs.existsSync(process.argv[1]) || process.exit(1), 10)";
      const part = { name: "part", command: [process.execPath, "-e", life, removed], needs: [], ready: async () => undefined };
      const messages = [];
      let restarted;
      const isUp = new Promise((resolve) => (restarted = resolve));
      const say = (line) => messages.push(line) && line.endsWith("again.") && restarted();
      const options = { logDir: dataDir + "/logs", dataDir, restart: true, say, firstPauseMs: 1 };
      const { died, stop } = await module.supervise([part], options);
      rmSync(removed, { recursive: true });
      const end = await Promise.race([died, isUp]);
      await stop();
      console.log(JSON.stringify({ end: end ?? "is up", messages, hasData: existsSync(dataDir) }).replaceAll(dataDir, "DATA"));`;
    const data = join(dir, "data");
    const outcome = await runScript("supervisor.mjs", script, data, join(data, name));
    rmSync(dir, { recursive: true });
    return outcome;
  }

  it("ends the system with one sentence, if that was the data folder", async () => {
    const end = "part died (exit code 1), and DATA is gone: stop Service CI before you remove its data folder.";
    expect(await afterRemovalOf("")).toEqual({ end, messages: [], hasData: false });
  });

  it("is restarted, if only the logs were removed", async () => {
    const messages = [
      "part died (exit code 1). Restarting it in 0.001 s. Its log: DATA/logs/part.log",
      "part is up again.",
    ];
    expect(await afterRemovalOf("logs")).toEqual({ end: "is up", messages, hasData: true });
  });
});

test("the output of a process can be asked for when its log was emptied or removed", async () => {
  const dir = mkdtempSync(join(tmpdir(), "ci-dev-"));
  const script = `
    const { rmSync, writeFileSync } = await import("node:fs");
    const logFile = process.argv[1] + "/log";
    writeFileSync(logFile, "the output of earlier processes\\n");
    const { ended, logged } = module.startProcess({ command: [process.execPath, "-e", "console.log('output')"], logFile });
    await ended;
    const found = [logged()];
    writeFileSync(logFile, "later\\n");
    found.push(logged());
    rmSync(logFile);
    console.log(JSON.stringify([...found, logged()]));`;
  const found = await runScript("process.mjs", script, dir);
  rmSync(dir, { recursive: true });
  expect(found).toEqual(["output\n", "later\n", "The log was removed."]);
});
