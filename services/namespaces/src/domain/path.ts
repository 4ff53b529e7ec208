import { fixedLimit } from "@ci/kit/process/fixed-limit";
export const maxDepth = fixedLimit({
  max: 20,
  about: "levels of a namespace",
  refusal: "Namespace cannot exceed depth of N",
});

const maxNameLength = fixedLimit({
  max: 64,
  about: "characters of the name of a namespace",
  refusal: "Namespace name cannot be longer than N characters in length",
});

const isWellFormed = (name: string): boolean => /^[a-zA-Z0-9][a-zA-Z0-9._-]*$/.test(name);
const isTooLong = (name: string): boolean => [...name].length > maxNameLength;

const characters =
  "can only contain letters, numbers, dots, dashes, and underscores, and begin with a letter or number";
const tooLong = `cannot be longer than ${maxNameLength} characters in length`;

export interface NamedPath {
  readonly elements: readonly string[];
  /** The owner's username, possibly empty; absent without an `@`. */
  readonly owner?: string;
}

/** Splits `path@owner` at its first `@`. Does not validate: see `pathComplaints`. */
export function parseNamedPath(text: string): NamedPath {
  const at = text.indexOf("@");
  const path = at < 0 ? text : text.slice(0, at);
  return { elements: path.split("/"), owner: at < 0 ? undefined : text.slice(at + 1) };
}

/** Returns what is wrong with the elements of a path, each complaint once. */
export function pathComplaints(elements: readonly string[]): string[] {
  return [
    ...(elements.every(isWellFormed) ? [] : [`Namespace name ${characters}`]),
    ...(elements.some(isTooLong) ? [`Namespace name ${tooLong}`] : []),
    ...(elements.length <= maxDepth ? [] : [`Namespace cannot exceed depth of ${maxDepth}`]),
  ];
}

export function nameComplaints(name: string): string[] {
  if (name === "") return ["Name field required"];
  return [...(isTooLong(name) ? [`Name ${tooLong}`] : []), ...(isWellFormed(name) ? [] : [`Name ${characters}`])];
}

const maxPathLength = maxDepth * (maxNameLength + 1) - 1;

/** Returns the complaint about a parent that is longer than the path of any namespace. */
export const parentLengthComplaints = (parent: string): string[] =>
  [...parent].length > maxPathLength ? [`Parent cannot be longer than ${maxPathLength} characters in length`] : [];

/** Returns `a/b/c` as `a`, `a/b`, `a/b/c`. */
export const lineOfPaths = (elements: readonly string[]): string[] =>
  elements.map((_, index) => elements.slice(0, index + 1).join("/"));
