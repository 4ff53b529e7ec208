import type { Source } from "@ci/proto/builds/v1/queue";
import { isGlob } from "./glob.js";
import { controls, type Spec, text } from "./spec.js";

function sides(entry: string): { left: string; right?: string } {
  const at = entry.indexOf("=>");
  if (at < 0) return { left: entry.trim() };
  return { left: entry.slice(0, at).trim(), right: entry.slice(at + 2).trim() };
}

const climbs = (path: string): boolean => path.split("/").includes("..");
const isPath = (path: string): boolean => path !== "" && !climbs(path) && !controls.test(path);

export const baseName = (path: string): string => path.replace(/(?<!\/)\/+$/, "").replace(/^.*\//s, "");

/** `KEY=VALUE`. In services, an axis may be in the place of the key. */
export const variable: Spec<string> = {
  ...text,
  schema: { type: "string", pattern: "^[A-Za-z_][A-Za-z0-9_]*=|\\$\\{" },
};

/** Parses `KEY=VALUE`; undefined if it cannot be an environment variable. */
export function envEntry(entry: string): { key: string; value: string } | undefined {
  const found = /^([A-Za-z_][A-Za-z0-9_]*)=([^\0]*)$/.exec(entry);
  return found ? { key: found[1]!, value: found[2]! } : undefined;
}

export interface Transfer {
  readonly source: string;
  readonly name: string;
}

/** Parses `source [=> destination]`. A destination ending in `/` gets the base name of the source appended. */
export function objectEntry(entry: string): Transfer | undefined {
  const { left: source, right } = sides(entry);
  const base = baseName(source);
  const name = right === undefined || right.endsWith("/") ? (right ?? "") + base : right;
  return base !== "" && isPath(name) && !controls.test(source) ? { source, name } : undefined;
}

/** Parses `source [=> name]`. In the name of a glob each `*` stands for a match's base name. */
export function artifactEntry(entry: string): Transfer | undefined {
  const { left: source, right } = sides(entry);
  const name = right ?? baseName(source);
  if (!isPath(name) || source === "" || controls.test(source)) return undefined;
  if (!isGlob(source)) return { source, name };
  return { source, name: right?.includes("*") ? right : "*" };
}

/** Parses `url [ref] [=> directory]`. The default directory is named after the repository. */
export function sourceEntry(entry: string): Source | undefined {
  const { left, right } = sides(entry);
  const space = left.indexOf(" ");
  const url = space < 0 ? left : left.slice(0, space);
  const ref = space < 0 ? "" : left.slice(space + 1).trim();
  return sourceOf(url, ref, right ?? "");
}

/** Reports whether git does not take a part of a source for an option. */
export const isPlain = (part: string): boolean => !part.startsWith("-") && !controls.test(part);
export const isFolder = (path: string): boolean => isPlain(path) && !climbs(path);

/** Checks the parts of a source. Without a folder it is named after the repository. */
export function sourceOf(url: string, ref: string, given: string): Source | undefined {
  const last = url.replace(/(?<!\/)\/+$/, "").replace(/^.*[/:]/s, "");
  const directory = given || last.replace(/\.git$/, "");
  const isValid = url !== "" && directory !== "" && isPlain(url) && isPlain(ref) && isFolder(directory);
  return isValid ? { url, ref, directory } : undefined;
}
