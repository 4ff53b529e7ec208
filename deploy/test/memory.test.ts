import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { deployDir } from "./_compose.js";

const file = JSON.stringify(pathToFileURL(join(deployDir, "local/start/memory.mjs")).href);
const script = `
  const { allocatorSettings, heapOptions, memoryLimits } = await import(${file});
  const limits = await memoryLimits();
  console.log(JSON.stringify([limits.builds, heapOptions(limits.builds), allocatorSettings()]));`;

/** Returns the limit of builds, its options, and the settings of its allocator. */
function ofBuilds(settings: { readonly [name: string]: string }): unknown {
  const env = { ...process.env, NODE_OPTIONS: "", MALLOC_ARENA_MAX: "", ...settings };
  return JSON.parse(execFileSync(process.execPath, ["--input-type=module", "-e", script], { env, encoding: "utf8" }));
}

describe("npm start", () => {
  it("gives each service half of the chart's memory limit as heap, as Node.js does in a container, and the images' settings", () => {
    const [, NODE_OPTIONS, MALLOC_ARENA_MAX] =
      /^ENV NODE_OPTIONS=(\S+) MALLOC_ARENA_MAX=(\S+)$/m.exec(readFileSync(join(deployDir, "Dockerfile"), "utf8")) ??
      [];
    expect(ofBuilds({})).toEqual([768, ["--max-old-space-size=384", NODE_OPTIONS], { MALLOC_ARENA_MAX }]);
  });

  it("leaves the choice to the environment", () => {
    const NODE_OPTIONS = "--max-old-space-size=1000 --max-semi-space-size=64";
    expect(ofBuilds({ NODE_OPTIONS, MALLOC_ARENA_MAX: "8" })).toEqual([768, [], { MALLOC_ARENA_MAX: "8" }]);
  });
});
