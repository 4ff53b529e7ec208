import { posix } from "node:path";

export const isGlob = (source: string): boolean => /[*?]/.test(source);

/** A pattern, split into a fixed directory and the segments to match below it. */
export interface Glob {
  readonly directory: string;
  readonly segments: readonly string[];
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

/** Takes at most name × segment steps, so no pattern is slow. */
function matchesName(segment: string, name: string): boolean {
  // As in a shell, a leading dot must be matched explicitly.
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

/** Reports whether a path below the directory matches. `**` matches any number of directories, including none. */
export function matchesGlob({ segments }: Pick<Glob, "segments">, path: string): boolean {
  const names = path.split("/");
  // reach[i]: the first i segments can match the names so far.
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
