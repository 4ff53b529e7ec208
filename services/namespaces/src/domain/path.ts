/** How many elements a path may have. */
export const maxDepth = 20;

const onlyLettersAndDigits = /^[a-zA-Z0-9]*$/;
const isNameLength = (name: string) => name.length >= 3 && name.length <= 32;

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
    ...(elements.every((name) => onlyLettersAndDigits.test(name))
      ? []
      : ["Namespace name can only contain letters and numbers"]),
    ...(elements.every(isNameLength) ? [] : ["Namespace name must be between 3 and 32 characters in length"]),
    ...(elements.length <= maxDepth ? [] : [`Namespace cannot exceed depth of ${maxDepth}`]),
  ];
}

/** What is wrong with the name of one new namespace. */
export function nameComplaints(name: string): string[] {
  if (name === "") return ["Name field required"];
  return [
    ...(isNameLength(name) ? [] : ["Name must be between 3 and 32 characters in length"]),
    ...(onlyLettersAndDigits.test(name) ? [] : ["Name can only have letters, and numbers"]),
  ];
}

/** `a/b/c` as `a`, `a/b`, `a/b/c`. */
export const lineOfPaths = (elements: readonly string[]): string[] =>
  elements.map((_, index) => elements.slice(0, index + 1).join("/"));
