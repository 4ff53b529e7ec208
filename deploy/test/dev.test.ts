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
