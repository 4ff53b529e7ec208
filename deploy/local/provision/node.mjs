// Chooses the Node.js that runs the services.
import { join } from "node:path";
import { repoRoot, run } from "./machine.mjs";

/** The first major version on which the services are fast. */
const fastSince = 26;

/** Comes with the packages (`deploy/node/package.json`), on Linux. */
const packaged = join(repoRoot, "deploy/node/node_modules", `node-${process.platform}-${process.arch}`, "bin/node");

/**
 * Returns the path of the Node.js that runs the services: the one that CI_NODE names, otherwise this process's. If that is
 * slower than the packaged one, and the packaged one runs here, it returns the packaged one.
 * @param {string} [version] of this process's Node.js
 * @param {string} [other] the packaged one
 */
export const findNode = async (version = process.versions.node, other = packaged) => {
  if (process.env.CI_NODE) return process.env.CI_NODE;
  if (Number.parseInt(version, 10) >= fastSince) return process.execPath;
  const { code } = await run(other, ["--version"]);
  return code === 0 ? other : process.execPath;
};
