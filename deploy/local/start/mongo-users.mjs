// The users of the MongoDB that `npm start` runs: one for each service with a database, and `ci` for the operator.
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { complaintIn, mongodRecipe } from "../provision/binaries.mjs";
import { repoRoot, waitFor } from "../provision/machine.mjs";
import { databaseOf } from "./parts.mjs";
import { urlAs } from "./passwords.mjs";
import { startProcess } from "./process.mjs";

const kit = createRequire(join(repoRoot, "libs/kit/package.json"));
const readyWithinMs = 60_000;
const stopWithinMs = 20_000;

/** @param {import("./passwords.mjs").Passwords} passwords */
const usersOf = (passwords) =>
  kit("./dist/mongo/users.js").mongoUsers({
    operator: "ci",
    databaseOf: (/** @type {string} */ service) => databaseOf(service) ?? `ci_${service}`,
    passwordOf: (service = "ci") => passwords[service],
  });

/**
 * Runs mongod without passwords during `work`, on a socket in a folder that only this user may enter.
 * @param {{ dataDir: string, port: number, logFile: string }} at
 * @param {(mongo: { url: string, client: { db: (name: string) => object } }) => Promise<void>} work
 */
export const withMongod = async ({ dataDir, port, logFile }, work) => {
  // In the folder for temporary files, because the path of a socket has at most about 100 characters.
  const socketDir = mkdtempSync(join(tmpdir(), "service-ci-mongod-"));
  const { command, url } = await mongodRecipe({ dataDir, port, socketDir });
  const mongod = startProcess({ command, logFile });
  const { MongoClient } = kit("mongodb");
  let client = /** @type {{ db: (name: string) => object, close: () => Promise<void> } | undefined} */ (undefined);
  // A client that could not connect stays closed, so each attempt needs its own.
  const connect = async () => {
    client = await MongoClient.connect(url, { directConnection: true, serverSelectionTimeoutMS: 1_000 });
    return true;
  };
  try {
    await waitFor(() => connect().catch(mongod.over), { withinMs: readyWithinMs });
    if (!client) throw new Error(`mongod did not start: ${complaintIn(mongod.logged())} (${logFile})`);
    await work({ url, client });
  } finally {
    await client?.close();
    await mongod.stop(stopWithinMs);
    rmSync(socketDir, { recursive: true, force: true });
  }
};

/**
 * Ensures that MongoDB has the users with these passwords, also in a data folder of a version without them. A file beside
 * the data tells for which users and passwords this is done.
 * @param {{ dataDir: string, port: number, logFile: string, passwords: import("./passwords.mjs").Passwords }} options
 */
export const ensureMongoUsers = async ({ passwords, ...at }) => {
  const users = usersOf(passwords);
  const hash = createHash("sha256").update(JSON.stringify(users)).digest("hex");
  const file = join(at.dataDir, "users.sha256");
  if (existsSync(file) && readFileSync(file, "utf8") === hash) return;
  await withMongod(at, ({ client }) => kit("./dist/mongo/users.js").putMongoUsers(client.db("admin"), users));
  writeFileSync(`${file}.new`, hash, { mode: 0o600 });
  renameSync(`${file}.new`, file);
};

/**
 * Adds the user of a service to the server's URL, or that of `ci`, the operator. Other services have none.
 * @param {string} url
 * @param {import("./passwords.mjs").Passwords} passwords
 * @param {string} owner
 */
export const mongoUrlAs = (url, passwords, owner) => {
  if (owner === "ci") return urlAs(url, owner, passwords.ci);
  const user = kit("./dist/mongo/users.js").mongoUserOf("ci", owner);
  return owner in passwords ? urlAs(url, user, passwords[owner]) : undefined;
};
