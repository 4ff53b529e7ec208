import { posix } from "node:path";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Environment } from "../driver.js";
import { matchesGlob, parseGlob } from "./glob.js";

const maxMatches = fixedLimit({
  max: 1_000,
  about: "files that one pattern of artifacts, reports or of a cache's key matches",
  effect: "the first ones by name are used",
});

export interface Searching {
  readonly environment: Pick<Environment, "list">;
  readonly signal: AbortSignal;
}

/** Returns the files that a glob matches, by name. */
export async function matchesOf(source: string, { environment, signal }: Searching): Promise<string[]> {
  const glob = parseGlob(source);
  let found: string[] = [];
  const sorted = () => found.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))).slice(0, maxMatches);
  for await (const { path, kind } of environment.list(glob.directory, glob.depth, signal)) {
    if (kind === "directory" || !matchesGlob(glob, path)) continue;
    found.push(posix.join(glob.directory, path));
    if (found.length >= 10 * maxMatches) found = sorted();
  }
  return sorted();
}
