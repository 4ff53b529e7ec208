import { posix } from "node:path";
import { isGlob, matchesSegments } from "@ci/manifest/glob";

/** A pattern, split into a fixed directory and the segments to match below it. */
interface Glob {
  readonly directory: string;
  readonly segments: readonly string[];
  readonly depth: number;
}

export function parseGlob(pattern: string): Glob {
  const all = posix.normalize(pattern).split("/");
  const first = all.findIndex(isGlob);
  const segments = all
    .slice(first)
    .map((segment) => (segment === "**" ? segment : segment.replace(/\*+/g, "*")))
    .filter((segment, index, { [index - 1]: before }) => segment !== "**" || before !== "**");
  const directory = all.slice(0, first).join("/");
  const depth = segments.includes("**") ? Number.POSITIVE_INFINITY : segments.length;
  return { directory: directory === "" && pattern.startsWith("/") ? "/" : directory, segments, depth };
}

/** Reports whether a path below the directory matches. `**` matches any number of directories, including none. */
export const matchesGlob = ({ segments }: Pick<Glob, "segments">, path: string): boolean =>
  matchesSegments(segments, path, { explicitDots: true });
