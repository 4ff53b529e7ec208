// What the other files here ask of the machine. Node builtins only: this runs before anything is installed.
import { spawn } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** The repository's root folder. */
export const repoRoot = join(dirname(fileURLToPath(import.meta.url)), "../../..");

/** Where downloads, logs and locks are kept; git ignores it and deleting it is always safe. */
export const cacheDir = join(repoRoot, ".cache");

/**
 * Runs a program to its end. Never throws: a program that is missing or takes longer than `timeoutMs` has code -1.
 * It does not outlive this process.
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
 * The full path of a program on the PATH, if there is one that may be run.
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
 * True where packages may be installed without asking for a password: root on Debian, Ubuntu and their kin, unless
 * CI_INSTALL=0 says to leave the machine as it is.
 */
export const mayInstallPackages = () =>
  process.env.CI_INSTALL !== "0" &&
  process.platform === "linux" &&
  process.getuid?.() === 0 &&
  existsSync("/etc/debian_version") &&
  !!onPath("apt-get");

/**
 * Installs Debian packages, fetching the lists first.
 * @param {string[]} names
 * @returns {Promise<string | undefined>} why it did not work; nothing when it did
 */
export const installPackages = async (names) => {
  console.log(`Installing ${names.join(", ")} on this machine with apt-get (CI_INSTALL=0 prevents that) ...`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  // Another apt-get may hold its lock, for example the nightly upgrade: wait for it.
  const wait = ["-o", "DPkg::Lock::Timeout=300"];
  const update = await run("apt-get", [...wait, "update", "-q"], { env });
  const install = await run("apt-get", [...wait, "install", "-y", "-q", "--no-install-recommends", ...names], { env });
  if (install.code === 0) return undefined;
  const said = lastLine(install.stderr) || lastLine(update.stderr) || `exit code ${install.code}`;
  return `apt-get could not install ${names.join(", ")}: ${said}`;
};

/**
 * The last line of a text that says something.
 * @param {string} text
 */
export const lastLine = (text) => text.trim().split("\n").at(-1)?.trim() ?? "";

/**
 * Calls `ask` until it answers something true.
 * @template T
 * @param {() => T | Promise<T>} ask
 * @param {{ withinMs: number, everyMs?: number }} limits
 * @returns {Promise<T | undefined>} what it answered; nothing when the time is over
 */
export const waitFor = async (ask, { withinMs, everyMs = 50 }) => {
  const until = Date.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > until) return undefined;
    await pause(everyMs);
  }
};

/** Ports handed out by this process: some are not listened on yet. */
const givenPorts = new Set();

/** @param {number} port */
const isFree = (port) =>
  new Promise((resolve) => {
    const server = createServer().once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });

/**
 * A TCP port on 127.0.0.1 that nothing listens on at this moment, below those that systems give to outgoing
 * connections: one of these could be taken at any time before it is listened on.
 * @returns {Promise<number>}
 */
export const freePort = async () => {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 15_000);
    if (givenPorts.has(port) || !(await isFree(port))) continue;
    givenPorts.add(port);
    return port;
  }
};

/**
 * Does `work` while no other process of this repository does work of the same name.
 * A lock left by a process that died is taken over. Two that take it over in the same moment may both go on, so
 * the work must bear being done twice: the lock only saves doing it.
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export const alone = async (name, work) => {
  mkdirSync(cacheDir, { recursive: true });
  const lock = join(cacheDir, `${name}.lock`);
  while (!takeLock(lock)) await pause(100);
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
};

/** @param {string} lock */
const takeLock = (lock) => {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch {
    if (!ownerLives(lock)) rmSync(lock, { force: true });
    return false;
  }
};

/** @param {string} lock */
const ownerLives = (lock) => {
  try {
    const pid = Number(readFileSync(lock, "utf8"));
    // Another process may have made the file and not yet written its number.
    if (!pid) return Date.now() - statSync(lock).mtimeMs < 5_000;
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "EPERM";
  }
};
