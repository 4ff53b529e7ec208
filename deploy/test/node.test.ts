import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { notRun } from "@ci/testkit/not-run";
import { deployDir } from "./_compose.js";

const file = JSON.stringify(pathToFileURL(join(deployDir, "local/provision/node.mjs")).href);

/** Returns the Node.js that would run the services if this machine's had the version. */
function chosen(version: string, { packaged, ...settings }: { packaged?: string; CI_NODE?: string } = {}): string {
  const args = JSON.stringify([version, ...(packaged === undefined ? [] : [packaged])]);
  const script = `const { findNode } = await import(${file}); console.log(await findNode(...${args}));`;
  const env = { ...process.env, CI_NODE: "", ...settings };
  return execFileSync(process.execPath, ["--input-type=module", "-e", script], { env, encoding: "utf8" }).trim();
}

describe("npm start runs the services", () => {
  const packaged = join(deployDir, "node/node_modules", `node-${process.platform}-${process.arch}`, "bin/node");
  if (!existsSync(packaged)) notRun("on the packaged Node.js", "there is none for this machine");
  else
    it("on the packaged Node.js if this machine's is slower", () => {
      expect([chosen("22.21.1"), chosen("24.21.0")]).toEqual([packaged, packaged]);
      expect(execFileSync(packaged, ["--version"], { encoding: "utf8" })).toMatch(/^v26\./);
    });

  it("on this machine's if it is fast, or if the packaged one does not run", () => {
    expect([chosen("26.0.0"), chosen("28.10.0")]).toEqual([process.execPath, process.execPath]);
    expect(chosen("20.19.0", { packaged: "/nowhere/node" })).toBe(process.execPath);
    expect(chosen("20.19.0", { packaged: "/bin/false" })).toBe(process.execPath);
  });

  it("on the one that CI_NODE names", () => {
    expect(chosen("20.19.0", { CI_NODE: "/opt/node" })).toBe("/opt/node");
  });
});

describe("the first commands refuse an old Node.js before it reads a script", () => {
  const root = join(deployDir, "..");
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const dir = mkdtempSync(join(tmpdir(), "ci-node-"));
  afterAll(() => rmSync(dir, { recursive: true }));

  it.each(["start", "dev", "test", "test:unit", "check", "build"])("npm run %s", (name) => {
    const [, ...args] = scripts[name]!.replace(/ &&.*/, "").split(" ");
    const script = args.findIndex((arg) => arg.endsWith(".mjs"));
    const unreadable = join(dir, "unreadable.mjs");
    writeFileSync(unreadable, "an old version cannot read this");
    const pretend = join(dir, "pretend.cjs");
    const versions = '{ ...process.versions, node: "12.22.12" }';
    writeFileSync(pretend, `Object.defineProperty(process, "versions", { value: ${versions} });`);
    const run = ["-r", pretend, ...args.with(script, unreadable)];
    const { status, stderr } = spawnSync(process.execPath, run, { cwd: root, encoding: "utf8" });
    expect([status, stderr]).toEqual([1, "Node 20.19 or later is needed, this is 12.22.12.\n"]);
  });
});
