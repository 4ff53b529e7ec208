// Runs `npm start` as a newcomer does, on a port and in a folder of its own.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { freePort, repoRoot } from "../../deploy/local/provision/machine.mjs";
import { apiAt } from "../../deploy/local/start/api.mjs";
import { guard, removeFolder, temporaryFolder } from "../../deploy/local/start/guardian.mjs";

/** A job that prints for long must not reach the limit of its output. */
const settings = { OUTPUT_LIMIT: "512MiB", RUNNER_DRIVERS: "os", DRIVERS: "os", RUNNER_BUILDS: "2" };

/** @typedef {Awaited<ReturnType<typeof startLikeNewcomer>>} Started */

/** Starts the system. Resolves once it has printed its one-time link. */
export const startLikeNewcomer = async () => {
  const dataDir = temporaryFolder("service-ci-figures-");
  const port = await freePort();
  const began = Date.now();
  const child = spawn(process.execPath, [join(repoRoot, "deploy/local/start/start.mjs")], {
    cwd: repoRoot,
    env: { ...process.env, ...settings, CI_PORT: String(port), CI_DATA: dataDir },
    stdio: ["ignore", "pipe", "inherit"],
  });
  guard(child);
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
    removeFolder(dataDir);
  };
  let printed = "";
  /** @type {Promise<{ link: string, token: string }>} */
  const welcomed = new Promise((resolve) => {
    child.stdout.setEncoding("utf8").on("data", (text) => {
      printed += text;
      const link = /^ {2}(http\S+)$/m.exec(printed)?.[1];
      const token = /--token (\S+)/.exec(printed)?.[1];
      if (link && token && printed.includes("Ctrl-C")) resolve({ link, token });
    });
  });
  const told = await Promise.race([welcomed, ended.then(() => undefined)]);
  if (!told) {
    await stop();
    throw new Error(`npm start ended before it printed a link:\n${printed}`);
  }
  const url = `http://127.0.0.1:${port}`;
  return { url, link: told.link, api: apiAt(url, told.token), startSeconds: (Date.now() - began) / 1_000, stop };
};
