/** Percent-encodes a name for a path, with its slashes if URL parsers or servers would drop a segment. */
export function encodeName(name: string): string {
  if (name === "." || name === "..") return `${name}%2F`;
  const parts = name.split("/");
  const isSafe = !parts.some((part) => ["", ".", ".."].includes(part));
  return parts.map(encodeURIComponent).join(isSafe ? "/" : "%2F");
}

/** Returns the given path or URL. Throws if it has a segment that URL parsers resolve. */
export function straight(pathOrUrl: string): string {
  const [path = ""] = pathOrUrl.split(/[?#]/);
  if (/[\\/](\.|%2e){1,2}([\\/]|$)/i.test(path)) throw new TypeError(`${pathOrUrl} has a segment . or ..`);
  return pathOrUrl;
}
