/** How many elements a path may have. */
export const maxDepth = 20;

const longestName = 64;

const isWellFormed = (name: string): boolean => /^[a-zA-Z0-9][a-zA-Z0-9._-]*$/.test(name);
const isTooLong = (name: string): boolean => [...name].length > longestName;

const characters =
  "can only contain letters, numbers, dots, dashes, and underscores, and begin with a letter or number";
const tooLong = `cannot be longer than ${longestName} characters in length`;

/** A namespace as a request names it: `path` or `path@owner`. */
export interface NamedPath {
  readonly elements: readonly string[];
  /** Username of the owner, when the text gives one; it may be empty. */
  readonly owner?: string;
}

/** Splits `path@owner` at its first `@`. Whether the elements are well formed is for `pathComplaints` to say. */
export function parseNamedPath(text: string): NamedPath {
  const at = text.indexOf("@");
  const path = at < 0 ? text : text.slice(0, at);
  return { elements: path.split("/"), owner: at < 0 ? undefined : text.slice(at + 1) };
}

/** What is wrong with the elements of a path, each thing once. */
export function pathComplaints(elements: readonly string[]): string[] {
  return [
    ...(elements.every(isWellFormed) ? [] : [`Namespace name ${characters}`]),
    ...(elements.some(isTooLong) ? [`Namespace name ${tooLong}`] : []),
    ...(elements.length <= maxDepth ? [] : [`Namespace cannot exceed depth of ${maxDepth}`]),
  ];
}

/** What is wrong with the name of one new namespace. */
export function nameComplaints(name: string): string[] {
  if (name === "") return ["Name field required"];
  return [...(isTooLong(name) ? [`Name ${tooLong}`] : []), ...(isWellFormed(name) ? [] : [`Name ${characters}`])];
}

/** `a/b/c` as `a`, `a/b`, `a/b/c`. */
export const lineOfPaths = (elements: readonly string[]): string[] =>
  elements.map((_, index) => elements.slice(0, index + 1).join("/"));
