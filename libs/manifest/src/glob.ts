/** Most characters of the name that is given to the files of a glob. */
export const maxGlobName = 4_096;

export const isGlob = (source: string): boolean => /[*?]/.test(source);

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
interface GlobOptions {
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
  const add = (counts: number[], from: number): void => {
    let count = from;
    if (count <= (counts.at(-1) ?? -1)) return;
    while (counts.push(count) && segments[count] === "**") count++;
  };
  // How many segments, from the first, can match the names so far; ascending.
  let reach: number[] = [];
  add(reach, 0);
  for (const name of names) {
    const next: number[] = [];
    for (const index of reach) {
      const segment = segments[index];
      if (segment === undefined || (isHidden(name) && !segment.startsWith("."))) continue;
      if (segment === "**") add(next, index);
      else if (matchesName(segment, name)) add(next, index + 1);
    }
    reach = next;
  }
  return reach.at(-1) === segments.length;
}
