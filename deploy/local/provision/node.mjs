// Chooses the Node.js that runs the services.
import { join } from "node:path";
import { repoRoot, run } from "./machine.mjs";

/** The oldest line of releases on which the services are as fast as they can be. */
const fastSince = 24;

/** Comes with the packages (`deploy/node/package.json`), on Linux. */
const packaged = join(repoRoot, "deploy/node/node_modules", `node-${process.platform}-${process.arch}`, "bin/node");

const packagedIfItRuns = async () => ((await run(packaged, ["--version"])).code === 0 ? packaged : process.execPath);

/**
 * Returns the path of the Node.js that runs the services: the one that CI_NODE names, or this process's, or if that is slower
 * the packaged one.
 * @param {string} [version] of this process's Node.js
 */
export const findNode = async (version = process.versions.node) => {
  if (process.env.CI_NODE) return process.env.CI_NODE;
  return Number.parseInt(version, 10) >= fastSince ? process.execPath : packagedIfItRuns();
};
