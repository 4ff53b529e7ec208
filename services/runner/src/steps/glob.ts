import { posix } from "node:path";

/** Whether a source is a pattern: `*`, `?` and `**` have a meaning, nothing else. */
export const isGlob = (source: string): boolean => /[*?]/.test(source);

/** A pattern as the directory below which everything it can match lies, and the segments that must match there. */
export interface Glob {
  /** As it is written: relative, absolute, or empty for the working directory. */
  readonly directory: string;
  readonly segments: readonly string[];
  /** How many levels below the directory a match can lie. */
  readonly depth: number;
}

export function parseGlob(pattern: string): Glob {
  const all = posix.normalize(pattern).split("/");
  const first = all.findIndex(isGlob);
  const segments = all.slice(first);
  const directory = all.slice(0, first).join("/");
  const depth = segments.includes("**") ? Number.POSITIVE_INFINITY : segments.length;
  return { directory: directory === "" && pattern.startsWith("/") ? "/" : directory, segments, depth };
}

/** One name against one segment, in steps of at most name times segment: no text can make it slow. */
function matchesName(segment: string, name: string): boolean {
  // As in a shell, names that start with a dot have to be asked for.
  if (name.startsWith(".") && !segment.startsWith(".")) return false;
  let at = 0;
  let star = -1;
  let starAt = 0;
  for (let index = 0; index < name.length; ) {
    if (segment[at] === "*") {
      star = at++;
      starAt = index;
    } else if (segment[at] === "?" || (at < segment.length && segment[at] === name[index])) {
      at++;
      index++;
    } else if (star >= 0) {
      at = star + 1;
      index = ++starAt;
    } else return false;
  }
  while (segment[at] === "*") at++;
  return at === segment.length;
}

/** Whether a path below the directory of the glob matches. `**` stands for any number of directories, also none. */
export function matchesGlob({ segments }: Pick<Glob, "segments">, path: string): boolean {
  const names = path.split("/");
  // reach[i]: the first i segments can match the names read so far.
  let reach = segments.map((_, index) => segments.slice(0, index).every((segment) => segment === "**"));
  reach.push(segments.every((segment) => segment === "**"));
  for (const name of names) {
    const next = reach.map(() => false);
    segments.forEach((segment, index) => {
      if (!reach[index]) return;
      if (segment !== "**") next[index + 1] ||= matchesName(segment, name);
      else if (!name.startsWith(".")) next[index] = true;
    });
    segments.forEach((segment, index) => {
      if (segment === "**" && next[index]) next[index + 1] = true;
    });
    reach = next;
  }
  return reach[segments.length]!;
}
