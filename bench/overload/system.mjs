// A fresh system with users, for one attack.
import { freePort } from "../../deploy/local/provision/machine.mjs";
import { apiAt } from "../../deploy/local/start/api.mjs";
import { removeFolder, temporaryFolder } from "../../deploy/local/start/guardian.mjs";
import { readOrCreateSettings } from "../../deploy/local/start/settings.mjs";
import { startSystem } from "../../deploy/local/start/system.mjs";
import { start } from "../processes.mjs";
import { clientOf } from "./client.mjs";

const scope = ["build", "namespace", "object", "image", "webhook"].map((kind) => `${kind}:read,write,delete`).join(" ");

/**
 * `users` creates users with a token each. `startInnocent` starts the innocent user.
 * @typedef {Awaited<ReturnType<typeof startAttacked>>} Attacked
 * @typedef {import("./client.mjs").Client & { username: string }} User
 */

/** @param {Record<string, string>} settings */
export const startAttacked = async (settings) => {
  const dataDir = temporaryFolder("service-ci-overload-");
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const keys = readOrCreateSettings(dataDir);
  const own = { LOG_LEVEL: "warn", RUNNER_DRIVERS: "os", RUNNER_BUILDS: "2", ...settings };
  Object.assign(process.env, own);
  const system = await startSystem({
    ...keys,
    url,
    port,
    dataDir,
    guardAllow: "127.0.0.1",
    drivers: "os",
  });
  const admin = apiAt(url, keys.adminToken);
  /** @type {(() => unknown)[]} */
  const stops = [];

  /** @param {string} username @returns {Promise<User>} */
  const user = async (username) => {
    await admin.json("POST", "/users", { username, email: `${username}@localhost.test` });
    const { secret } = await admin.json("POST", `/users/${username}/tokens`, { name: "overload", scope });
    const client = clientOf(url, secret);
    stops.push(client.close);
    return { ...client, username };
  };

  return {
    url,
    died: system.died,
    user,
    /** @param {number} count */
    users: (count) => Promise.all(Array.from({ length: count }, (_, nth) => user(`user-${nth}`))),
    async startInnocent() {
      const { token } = await user("innocent");
      const { child, next } = await start("overload/innocent.mjs", [url, token]);
      return {
        /** @returns {Promise<{ requests: number, p99Ms: number, maxMs: number, slowest: string, failures: string[] }>} */
        async stop() {
          const told = next();
          child.send("stop");
          return told;
        },
      };
    },
    async stop() {
      for (const stop of stops) await stop();
      await system.stop();
      for (const name of Object.keys(own)) delete process.env[name];
      removeFolder(dataDir);
    },
  };
};
