/** Tags the service adds by itself; they do not count for the limit. */
const byService = (name: string) => name === "orphaned" || name.startsWith("cron:");

export interface TagLimits {
  readonly maxTags: number;
  readonly tagLength: number;
}

/** What is wrong with these names on a build that already has some. */
function complain(names: readonly string[], has: readonly string[], limits: TagLimits): string[] {
  const count = [...has, ...names].filter((name) => !byService(name)).length;
  const complaints: string[] = [];
  if (count > limits.maxTags) complaints.push(`Tags cannot exceed ${limits.maxTags} per build`);
  if (names.some((name) => [...name].length > limits.tagLength))
    complaints.push(`Tags name cannot be longer than ${limits.tagLength} characters in length`);
  return complaints;
}

/** A client takes these in a URL for steps in its path. */
const isDots = (name: string): boolean => name === "." || name === "..";

/** The tags given at submission: trimmed, without empty ones, `.`, `..` and repetitions; any other text is allowed. */
export function submittedTags(given: readonly string[], limits: TagLimits): { names: string[]; complaints: string[] } {
  const names = [...new Set(given.map((name) => name.trim()).filter((name) => name !== "" && !isDots(name)))];
  return { names, complaints: complain(names, [], limits) };
}

/**
 * The names among the given ones that a build does not have yet. Names with other characters than letters, digits and
 * -_./ are skipped, and so are `.` and `..`.
 */
export function addedTags(
  given: readonly string[],
  has: readonly string[],
  limits: TagLimits,
): { names: string[]; complaints: string[] } {
  const valid = (name: string) => /^[a-zA-Z0-9\-_./]+$/.test(name) && !isDots(name);
  const names = [...new Set(given)].filter((name) => valid(name) && !has.includes(name));
  return { names, complaints: complain(names, has, limits) };
}
