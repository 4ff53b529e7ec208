// Chooses the Node.js that runs the services.
import { join } from "node:path";
import { repoRoot, run } from "./machine.mjs";

/** The oldest line of releases on which the services are as fast as they can be. */
const fastSince = 24;

/** Comes with the packages (`deploy/node/package.json`), on Linux. */
const packaged = join(repoRoot, "deploy/node/node_modules", `node-${process.platform}-${process.arch}`, "bin/node");

/**
 * Returns the path of the Node.js that runs the services: the one that CI_NODE names, or this process's, or if that is slower
 * the packaged one, where it runs.
 * @param {string} [version] of this process's Node.js
 * @param {string} [other] the packaged one
 */
export const findNode = async (version = process.versions.node, other = packaged) => {
  if (process.env.CI_NODE) return process.env.CI_NODE;
  if (Number.parseInt(version, 10) >= fastSince) return process.execPath;
  const { code } = await run(other, ["--version"]);
  return code === 0 ? other : process.execPath;
};
