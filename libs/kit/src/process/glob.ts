/** Takes at most name × segment steps, so no pattern is slow. */
function matchesName(segment: string, name: string): boolean {
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

/** Which names the wildcards of a glob may stand for. */
export interface GlobOptions {
  /** As in a shell, a leading dot has to be matched explicitly. */
  readonly explicitDots: boolean;
}

/**
 * Reports whether a path matches the segments of a glob. `*` and `?` stay within a segment; `**` as a segment matches any
 * number of directories, including none.
 */
export function matchesSegments(segments: readonly string[], path: string, { explicitDots }: GlobOptions): boolean {
  const isHidden = (name: string) => explicitDots && name.startsWith(".");
  const names = path.split("/");
  // reach[i]: the first i segments can match the names so far.
  let reach = segments.map((_, index) => segments.slice(0, index).every((segment) => segment === "**"));
  reach.push(segments.every((segment) => segment === "**"));
  for (const name of names) {
    const next = reach.map(() => false);
    segments.forEach((segment, index) => {
      if (!reach[index]) return;
      if (segment === "**") next[index] ||= !isHidden(name);
      else if (segment.startsWith(".") || !isHidden(name)) next[index + 1] ||= matchesName(segment, name);
    });
    segments.forEach((segment, index) => {
      if (segment === "**" && next[index]) next[index + 1] = true;
    });
    reach = next;
  }
  return reach[segments.length]!;
}
