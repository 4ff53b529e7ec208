// Finds the services that a source file belongs to, by the dependencies in each package.json.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repoRoot } from "../provision/machine.mjs";

const packageFolders = () =>
  ["libs", "services"].flatMap((group) =>
    readdirSync(join(repoRoot, group))
      .map((name) => `${group}/${name}`)
      .filter((folder) => existsSync(join(repoRoot, folder, "package.json"))),
  );

/** The sources of the web page, which the gateway serves. */
const pageRoots = ["client/src", "web/src"];

/** Returns the folders with source files of the services. */
export const sourceRoots = () => [
  "proto",
  ...pageRoots,
  ...packageFolders()
    .map((folder) => `${folder}/src`)
    .filter((folder) => existsSync(join(repoRoot, folder))),
];

/** Generated code changes with proto/, and tests change no service. @param {string} path */
const packageOf = (path) => {
  if (path.startsWith("proto/")) return path.endsWith(".proto") ? "libs/proto" : undefined;
  if (!path.endsWith(".ts") || path.endsWith(".test.ts") || path.startsWith("libs/proto/src/gen/")) return undefined;
  return path.split("/").slice(0, 2).join("/");
};

/** @param {string} folder @returns {string[]} the workspace packages that it depends on, by folder */
const needsOf = (folder) => {
  const { dependencies = {} } = JSON.parse(readFileSync(join(repoRoot, folder, "package.json"), "utf8"));
  const names = Object.keys(dependencies).filter((name) => name.startsWith("@ci/"));
  return names.map((name) => `libs/${name.slice("@ci/".length)}`);
};

/** @param {string} folder @returns {Set<string>} the folder and all that it depends on */
const withNeeds = (folder, found = new Set()) => {
  found.add(folder);
  for (const needed of needsOf(folder)) if (!found.has(needed)) withNeeds(needed, found);
  return found;
};

/** Reports whether the web page is made of any of these files. @param {string[]} paths */
export const isPageMadeOf = (paths) =>
  paths.some(
    (path) =>
      pageRoots.some((root) => path.startsWith(`${root}/`)) && /\.(tsx?|css)$/.test(path) && !path.includes(".test."),
  );

/**
 * Returns the services that use any of these files.
 * @param {string[]} paths relative to the repository
 */
export const servicesUsing = (paths) => {
  const changed = new Set(paths.map(packageOf).filter((folder) => folder !== undefined));
  if (isPageMadeOf(paths)) changed.add("services/gateway");
  if (changed.size === 0) return [];
  return packageFolders()
    .filter((folder) => folder.startsWith("services/"))
    .filter((folder) => [...withNeeds(folder)].some((needed) => changed.has(needed)))
    .map((folder) => folder.slice("services/".length));
};
