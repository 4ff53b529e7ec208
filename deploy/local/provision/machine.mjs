// Processes, ports, locks and packages of this machine. Only Node's built-in modules: this runs before packages are installed.
import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { accessSync, constants, existsSync, mkdirSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { release, take } from "./hold.mjs";

/** The repository's root folder. */
export const repoRoot = join(dirname(fileURLToPath(import.meta.url)), "../../..");

/** Folder for downloads, logs and locks. Git ignores it, and you can always delete it. */
export const cacheDir = join(repoRoot, ".cache");

/**
 * Runs a program to its end. Never throws: a program that is missing or exceeds `timeoutMs` has code -1.
 * The program ends when this process exits.
 * @param {string} command
 * @param {string[]} args
 * @param {import("node:child_process").SpawnOptions & { timeoutMs?: number }} [options]
 * @returns {Promise<{ code: number, stdout: string, stderr: string }>}
 */
export const run = async (command, args, { timeoutMs, ...options } = {}) => {
  const limits = { timeout: timeoutMs, killSignal: /** @type {const} */ ("SIGKILL") };
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], ...limits, ...options });
  const endWithUs = () => child.kill("SIGTERM");
  process.once("exit", endWithUs);
  const out = { stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (text) => {
    out.stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text) => {
    out.stderr += text;
  });
  const code = await new Promise((resolve) => {
    child.on("close", resolve);
    child.on("error", ({ message }) => {
      out.stderr += message;
      resolve(-1);
    });
  });
  process.off("exit", endWithUs);
  return { code: code ?? -1, ...out };
};

/**
 * Returns the full path of an executable on the PATH, if there is one.
 * @param {string} name
 * @returns {string | undefined}
 */
export const onPath = (name) =>
  (process.env.PATH ?? "")
    .split(delimiter)
    .filter(Boolean)
    .map((dir) => join(dir, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return statSync(path).isFile();
      } catch {
        return false;
      }
    });

/**
 * Reports whether packages may be installed here without a password: by root on Debian, Ubuntu and derivatives, unless
 * CI_INSTALL=0 forbids it.
 */
export const mayInstallPackages = () =>
  process.env.CI_INSTALL !== "0" &&
  process.platform === "linux" &&
  process.getuid?.() === 0 &&
  existsSync("/etc/debian_version") &&
  !!onPath("apt-get");

/**
 * Updates the package lists and installs Debian packages.
 * @param {string[]} names
 * @returns {Promise<string | undefined>} why that failed, if it did
 */
export const installPackages = async (names) => {
  console.log(`Installing ${names.join(", ")} on this machine with apt-get (CI_INSTALL=0 prevents that) ...`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  // Another apt-get may hold the lock, for example the nightly upgrade. Wait for it.
  const wait = ["-o", "DPkg::Lock::Timeout=300"];
  const update = await run("apt-get", [...wait, "update", "-q"], { env });
  const install = await run("apt-get", [...wait, "install", "-y", "-q", "--no-install-recommends", ...names], { env });
  if (install.code === 0) return undefined;
  const reason = lastLine(install.stderr) || lastLine(update.stderr) || `exit code ${install.code}`;
  return `apt-get could not install ${names.join(", ")}: ${reason}`;
};

/**
 * Returns the last line of a text, ignoring blank lines at its end.
 * @param {string} text
 */
export const lastLine = (text) => text.trim().split("\n").at(-1)?.trim() ?? "";

/**
 * Calls `check` until it returns something truthy.
 * @template T
 * @param {() => T | Promise<T>} check
 * @param {{ withinMs: number, everyMs?: number }} limits
 * @returns {Promise<T | undefined>} what `check` returned, or undefined when the time is over
 */
export const waitFor = async (check, { withinMs, everyMs = 50 }) => {
  const until = Date.now() + withinMs;
  for (;;) {
    const result = await check();
    if (result) return result;
    if (Date.now() > until) return undefined;
    await pause(everyMs);
  }
};

/** @param {number} port */
const isFree = (port) =>
  new Promise((resolve) => {
    const server = createServer().once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });

/**
 * Holds the UDP port of this number, so that other processes that look for a port choose another one.
 * @param {number} port
 * @returns {Promise<import("node:dgram").Socket | undefined>}
 */
const reserve = (port) =>
  new Promise((resolve) => {
    const socket = createSocket("udp4").unref();
    socket.once("error", () => socket.close(() => resolve(undefined)));
    socket.bind(port, "127.0.0.1", () => resolve(socket));
  });

/**
 * Returns a free TCP port of 127.0.0.1. It lies below the range for outgoing connections, which could take it at any time.
 * @returns {Promise<number>}
 */
export const freePort = async () => {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 15_000);
    const socket = await reserve(port);
    if (socket && (await isFree(port))) return port;
    socket?.close();
  }
};

/**
 * Runs `work` while no other process of this repository runs work of the same name. The lock of a dead process is taken
 * over.
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export const withLock = async (name, work) => {
  mkdirSync(cacheDir, { recursive: true });
  const lock = join(cacheDir, `${name}.lock`);
  let told = false;
  for (let holder = take(lock); holder; holder = take(lock)) {
    if (!told) console.log(`Waiting for process ${holder.pid} (${lock}) ...`);
    told = true;
    await pause(100);
  }
  try {
    return await work();
  } finally {
    release(lock);
  }
};
