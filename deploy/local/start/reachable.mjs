// Checks that the MongoDB and NATS that the environment names can be used.
import { createRequire } from "node:module";
import { join } from "node:path";
import { repoRoot } from "../provision/machine.mjs";

const withinMs = 5_000;
const kit = createRequire(join(repoRoot, "libs/kit/package.json"));

/** Removes users and passwords from one URL or several. @param {string} urls */
const withoutPasswords = (urls) => urls.replace(/(^|\/\/|,)[^@/,]*@/g, "$1");

/** @param {string} url */
const pingMongo = async (url) => {
  const { MongoClient } = kit("mongodb");
  const client = new MongoClient(url, { serverSelectionTimeoutMS: withinMs, connectTimeoutMS: withinMs });
  try {
    await client.db("admin").command({ ping: 1 });
  } finally {
    await client.close();
  }
};

/** @param {string} url */
const pingNats = async (url) => {
  const { connect } = kit("nats");
  const { natsServers } = kit("./dist/bus/nats-servers.js");
  const connection = await connect({ ...natsServers(url), timeout: withinMs, maxReconnectAttempts: 0 });
  const { jetstream } = connection.info;
  await connection.close();
  if (!jetstream) throw new Error("it runs without JetStream");
};

/**
 * Connects to the servers that the environment names.
 * @param {NodeJS.ProcessEnv} env
 * @throws {Error} with one sentence
 */
export const checkServers = async ({ MONGO_URL, NATS_URL }) => {
  const check = async (/** @type {string} */ name, /** @type {string} */ url, /** @type {typeof pingMongo} */ ping) => {
    await ping(url).catch((/** @type {Error} */ { message }) => {
      throw new Error(
        `${name}=${withoutPasswords(url)} cannot be used: ${message}. Without ${name}, npm start runs its own.`,
      );
    });
  };
  if (MONGO_URL) await check("MONGO_URL", MONGO_URL, pingMongo);
  if (NATS_URL) await check("NATS_URL", NATS_URL, pingNats);
};
