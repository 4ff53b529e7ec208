// Finds what test files need besides Node and packages, from the text of these files and of their imports.
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { repoRoot } from "../provision/machine.mjs";

/**
 * `servers` are MongoDB and NATS, `engine` is Docker with a small image, `disks` are disks of test machines.
 * `build` is the compiled project, for tests that start processes. `web` is the built web page with a browser.
 * @typedef {{ servers: boolean, engine: boolean, disks: boolean, build: boolean, web: boolean }} Needs
 */

/** The needs of a whole run. @type {Needs} */
export const everything = { servers: true, engine: true, disks: true, build: true, web: true };

/** Reports whether a file holds unit tests. They lie beside the code and need no server. @param {string} file */
const isUnit = (file) => /\/src\/.*\.test\.ts$/.test(file);

const relativeImport = /\bfrom "(\.{1,2}\/[^"]+)\.js"/g;

/**
 * Returns the text of a file and of everything that it imports by a relative path.
 * @param {string} file
 * @param {Set<string>} seen
 * @returns {string}
 */
const textOf = (file, seen = new Set()) => {
  if (seen.has(file)) return "";
  seen.add(file);
  const text = readFileSync(file, "utf8");
  const imported = [...text.matchAll(relativeImport)].map(([, path]) => join(dirname(file), `${path}.ts`));
  return [text, ...imported.map((path) => textOf(path, seen))].join("\n");
};

/** @param {string} file @returns {Needs} */
const needsOf = (file) => {
  if (isUnit(file)) return { servers: false, engine: false, disks: false, build: false, web: false };
  const text = textOf(file);
  const system = /^(deploy|examples)\//.test(relative(repoRoot, file));
  return {
    servers: true,
    engine: system || /CI_TEST_IMAGE|testcontainers/.test(text),
    disks: system || /CI_TEST_DISKS|CI_BASE_IMAGE/.test(text),
    build: system || /\bstartProcesses\b|@ci\/testkit\/processes|\/dist\/|deploy\/local|generate\.mjs/.test(text),
    web: relative(repoRoot, file).startsWith("web/"),
  };
};

/**
 * Returns what these test files need together.
 * @param {string[]} files
 * @returns {Needs}
 */
export const needsOfAll = (files) => {
  const all = files.map(needsOf);
  const any = (/** @type {keyof Needs} */ need) => all.some((needs) => needs[need]);
  return {
    servers: any("servers"),
    engine: any("engine"),
    disks: any("disks"),
    build: any("build"),
    web: any("web"),
  };
};
