import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { pacer } from "@ci/kit/turns/pacer";
import { type Environment, maxPathLength } from "../driver.js";
import { matchesGlob, parseGlob } from "./glob.js";

const maxMatches = fixedLimit({
  max: 1_000,
  about: "files that one pattern of artifacts, reports or of a cache's key matches",
  effect: "the first ones by name are used",
});
const stepsPerTurn = 1_000_000;

export interface Searching {
  readonly environment: Pick<Environment, "list">;
  readonly signal: AbortSignal;
}

/** Returns the files that a glob matches, by name. Skips paths that are too long to be opened. */
export async function matchesOf(source: string, { environment, signal }: Searching): Promise<string[]> {
  const glob = parseGlob(source);
  const { directory } = glob;
  const prefix = directory === "" || directory === "/" ? directory : `${directory}/`;
  let found: Buffer[] = [];
  const pace = pacer(stepsPerTurn);
  const first = () => found.sort(Buffer.compare).slice(0, maxMatches);
  for await (const { path, kind } of environment.list(directory, glob.depth, signal)) {
    await pace(path.length ** 2 + prefix.length);
    if (kind === "directory" || !matchesGlob(glob, path)) continue;
    const whole = prefix + path;
    if (whole.length > maxPathLength) continue;
    found.push(Buffer.from(whole));
    if (found.length < 2 * maxMatches) continue;
    found = first();
    await pace(stepsPerTurn);
  }
  return first().map(String);
}
