/** Counts tags without those that the service adds: `orphaned`, and one that names a cron job. */
function countOf(names: readonly string[]): number {
  const others = names.filter((name) => name !== "orphaned");
  return others.length - (others.some((name) => name.startsWith("cron:")) ? 1 : 0);
}

interface TagLimits {
  readonly maxTags: number;
  readonly tagLength: number;
}

const isDots = (name: string): boolean => name === "." || name === "..";

/** Replaces segments of a tag that are `.` or `..`, which URL parsers would resolve, by `-` or `--`. */
export const withoutDots = (name: string): string =>
  name
    .split("/")
    .map((segment) => (isDots(segment) ? segment.replaceAll(".", "-") : segment))
    .join("/");

/** Returns a tag that the service makes from a text: cut to the length, and valid. */
export const tagFrom = (text: string, length: number): string => withoutDots([...text].slice(0, length).join(""));

function complain(names: readonly string[], has: readonly string[], limits: TagLimits): string[] {
  const count = countOf([...has, ...names]);
  const complaints: string[] = [];
  if (count > limits.maxTags) complaints.push(`Tags cannot exceed ${limits.maxTags} per build`);
  if (names.some((name) => [...name].length > limits.tagLength))
    complaints.push(`Tags name cannot be longer than ${limits.tagLength} characters in length`);
  if (names.some((name) => name !== withoutDots(name))) complaints.push("Tags name cannot have a segment . or ..");
  return complaints;
}

/** Trims the tags of a submission and drops empty ones, `.`, `..` and duplicates. Any other text is allowed. */
export function submittedTags(given: readonly string[], limits: TagLimits): { names: string[]; complaints: string[] } {
  const names = [...new Set(given.map((name) => name.trim()).filter((name) => name !== "" && !isDots(name)))];
  return { names, complaints: complain(names, [], limits) };
}

/** Returns the given tags that a build does not have yet. Skips tags with invalid characters. */
export function addedTags(
  given: readonly string[],
  has: readonly string[],
  limits: TagLimits,
): { names: string[]; complaints: string[] } {
  const valid = (name: string) => /^[a-zA-Z0-9\-_./]+$/.test(name) && !isDots(name);
  const names = [...new Set(given)].filter((name) => valid(name) && !has.includes(name));
  return { names, complaints: complain(names, has, limits) };
}
