import type { Source } from "@ci/proto/builds/v1/queue";

/** What stands on the left of `=>`, and on its right when there is one; both trimmed. */
function sides(entry: string): { left: string; right?: string } {
  const at = entry.indexOf("=>");
  if (at < 0) return { left: entry.trim() };
  return { left: entry.slice(0, at).trim(), right: entry.slice(at + 2).trim() };
}

const controls = /\p{Cc}/u;
const climbs = (path: string): boolean => path.split("/").includes("..");
const isPath = (path: string): boolean => path !== "" && !climbs(path) && !controls.test(path);

/** The last element of a path, without the slashes after it. */
export const baseName = (path: string): string => path.replace(/(?<!\/)\/+$/, "").replace(/^.*\//s, "");

/** True for a source that stands for any number of files. */
export const isGlob = (source: string): boolean => /[*?]/.test(source);

/** `KEY=VALUE`. Undefined when it is none, or no process could be given it. */
export function envEntry(entry: string): { key: string; value: string } | undefined {
  const found = /^([A-Za-z_][A-Za-z0-9_]*)=([^\0]*)$/.exec(entry);
  return found ? { key: found[1]!, value: found[2]! } : undefined;
}

/** A thing to copy: from where, and what it is called there. */
export interface Passing {
  readonly source: string;
  readonly name: string;
}

/** `source [=> destination]`; a destination ending in `/` gets the base name of the source appended. */
export function objectEntry(entry: string): Passing | undefined {
  const { left: source, right } = sides(entry);
  const base = baseName(source);
  const name = right === undefined || right.endsWith("/") ? (right ?? "") + base : right;
  return base !== "" && isPath(name) && !controls.test(source) ? { source, name } : undefined;
}

/**
 * `source [=> name]`. The name of a glob is a pattern, in which a `*` stands for the base name of each match:
 * a name without one says no more than `*`.
 */
export function artifactEntry(entry: string): Passing | undefined {
  const { left: source, right } = sides(entry);
  const name = right ?? baseName(source);
  if (!isPath(name) || source === "" || controls.test(source)) return undefined;
  if (!isGlob(source)) return { source, name };
  return { source, name: right?.includes("*") ? right : "*" };
}

/** `url [ref] [=> directory]`; the directory is named after the repository unless one is given. */
export function sourceEntry(entry: string): Source | undefined {
  const { left, right } = sides(entry);
  const space = left.indexOf(" ");
  const url = space < 0 ? left : left.slice(0, space);
  const ref = space < 0 ? "" : left.slice(space + 1).trim();
  const last = url.replace(/(?<!\/)\/+$/, "").replace(/^.*[/:]/s, "");
  const directory = right || last.replace(/\.git$/, "");
  const parts = [url, ref, directory];
  const valid = parts.every((part) => !part.startsWith("-") && !controls.test(part));
  return valid && url !== "" && isPath(directory) ? { url, ref, directory } : undefined;
}
