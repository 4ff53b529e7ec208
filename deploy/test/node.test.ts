import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { deployDir } from "./_compose.js";

const file = JSON.stringify(pathToFileURL(join(deployDir, "local/provision/node.mjs")).href);

/** Returns the Node.js that would run the services if this machine's had the version. */
function chosen(version: string, settings: { readonly [name: string]: string } = {}): string {
  const script = `const { findNode } = await import(${file}); console.log(await findNode("${version}"));`;
  const env = { ...process.env, CI_NODE: "", ...settings };
  return execFileSync(process.execPath, ["--input-type=module", "-e", script], { env, encoding: "utf8" }).trim();
}

describe("npm start runs the services", () => {
  it("on the packaged Node.js if this machine's is slower", () => {
    const packaged = chosen("22.21.1");
    expect(packaged).not.toBe(process.execPath);
    expect(execFileSync(packaged, ["--version"], { encoding: "utf8" })).toMatch(/^v24\./);
  });

  it("on this machine's if it is fast, or if CI_NODE names it", () => {
    expect([chosen("24.0.0"), chosen("26.10.0")]).toEqual([process.execPath, process.execPath]);
    expect(chosen("20.19.0", { CI_NODE: "/opt/node" })).toBe("/opt/node");
  });
});
