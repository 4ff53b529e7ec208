import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { deployDir } from "./_compose.js";

const file = JSON.stringify(pathToFileURL(join(deployDir, "local/start/memory.mjs")).href);
const script = `
  const { heapOptions, memoryLimits } = await import(${file});
  const limits = await memoryLimits();
  console.log(JSON.stringify([limits.builds, ...heapOptions(limits.builds)]));`;

/** Returns the limit of builds and its options. */
function ofBuilds(nodeOptions: string): unknown {
  const env = { ...process.env, NODE_OPTIONS: nodeOptions };
  return JSON.parse(execFileSync(process.execPath, ["--input-type=module", "-e", script], { env, encoding: "utf8" }));
}

describe("npm start", () => {
  it("gives a service's heap half of the chart's limit, as Node.js does in a container", () => {
    expect(ofBuilds("")).toEqual([768, "--max-old-space-size=384"]);
  });

  it("leaves the choice to NODE_OPTIONS", () => {
    expect(ofBuilds("--max-old-space-size=1000")).toEqual([768]);
  });
});
