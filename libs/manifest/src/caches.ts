import { posix } from "node:path";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { quoted } from "@ci/kit/rpc/fault";
import type { Complaints } from "./complaints.js";
import { key, type Values } from "./mapping.js";
import { controls, entry, list, type Placed, placed, text } from "./spec.js";

/** The files that a build keeps for later builds under one name. */
export interface Cache {
  readonly name: string;
  /** Paths and globs of the files whose content selects the entry. */
  readonly key: readonly string[];
  /** Normalized: relative to the working directory, or beginning with `~/`. */
  readonly paths: readonly string[];
}

export const cacheKeys = {
  name: key(placed(text), "Name of the cache", "npm"),
  key: key(
    list(entry),
    "Files that determine the content of the cache, as paths or globs. Builds with equal files use the same entry",
    ["app/package-lock.json"],
    ...["keys", "files", "restore-keys"],
  ),
  paths: key(
    list(entry),
    "Files and folders to keep, relative to the working directory or below `~/`",
    ["app/node_modules", "~/.npm"],
    ...["path", "folders"],
  ),
};

const maxCaches = fixedLimit({
  max: 20,
  about: "caches in a manifest",
  refusal: "Manifest line L, column C: cannot have more than N caches",
});
const maxPaths = fixedLimit({
  max: 50,
  about: "paths of a cache, and files of its key",
  refusal: "cannot have more than N",
});
const maxNameLength = fixedLimit({
  max: 100,
  about: "characters in the name of a cache",
  refusal: "cannot be longer than N characters",
});

const outside = "must lie in the working directory or below ~/";

/** Normalizes a path. Returns undefined if it leads elsewhere, or to all of the working directory or the home. */
function inside(path: string): string | undefined {
  const isHome = path.startsWith("~/");
  const rest = posix.normalize(isHome ? path.slice(2) : path).replace(/\/$/, "");
  if (controls.test(path) || rest.startsWith("/") || rest.split("/").includes("..")) return undefined;
  if (rest === "." || (!isHome && rest.startsWith("~"))) return undefined;
  return isHome ? `~/${rest}` : rest;
}

function pathsOf(given: readonly Placed<string>[] = [], name: string, complain: Complaints): string[] {
  const beyond = given[maxPaths];
  if (beyond) complain.addAt(beyond.at, `${name} cannot have more than ${maxPaths}`);
  const paths = given.slice(0, maxPaths).flatMap(({ at, value }) => {
    const path = inside(value.trim());
    const why = controls.test(value) ? "cannot have control characters" : `"${quoted(value)}" ${outside}`;
    if (path === undefined) complain.addAt(at, `${name} ${why}`);
    return path ?? [];
  });
  return [...new Set(paths)];
}

/** Checks the caches of a manifest. */
export function cachesOf(given: readonly Placed<Values<typeof cacheKeys>>[], complain: Complaints): Cache[] {
  const beyond = given[maxCaches];
  if (beyond) complain.refuseAt(beyond.at, `cannot have more than ${maxCaches} caches`);
  const taken = new Set<string>();
  return given.slice(0, maxCaches).flatMap(({ at, value }) => {
    const name = (value.name?.value ?? "").trim();
    const place = value.name?.at ?? at;
    if (name === "") complain.addAt(at, "a cache must have a name");
    else if (controls.test(name)) complain.addAt(place, "the name of a cache cannot have control characters");
    else if (name.length > maxNameLength)
      complain.addAt(place, `the name of a cache cannot be longer than ${maxNameLength} characters`);
    else if (taken.has(name)) complain.addAt(place, `there is another cache "${quoted(name)}"`);
    taken.add(name);
    const key = pathsOf(value.key, "key", complain);
    const paths = pathsOf(value.paths, "paths", complain);
    if (value.paths?.length === 0) complain.addAt(at, `cache "${quoted(name)}" must have paths`);
    return [{ name, key, paths }];
  });
}
