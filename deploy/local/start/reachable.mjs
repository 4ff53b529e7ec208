// Whether MongoDB and NATS answer where the environment says that they are.
import { createRequire } from "node:module";
import { join } from "node:path";
import { repoRoot } from "../provision/machine.mjs";

const withinMs = 5_000;
const kit = createRequire(join(repoRoot, "libs/kit/package.json"));

/** One URL or several, without users and passwords. @param {string} urls */
const shown = (urls) => urls.replace(/(^|\/\/|,)[^@/,]*@/g, "$1");

/** @param {string} url */
const askMongo = async (url) => {
  const { MongoClient } = kit("mongodb");
  const client = new MongoClient(url, { serverSelectionTimeoutMS: withinMs, connectTimeoutMS: withinMs });
  try {
    await client.db("admin").command({ ping: 1 });
  } finally {
    await client.close();
  }
};

/** @param {string} url */
const askNats = async (url) => {
  const { connect } = kit("nats");
  const { natsServers } = kit("./dist/nats-servers.js");
  const connection = await connect({ ...natsServers(url), timeout: withinMs, maxReconnectAttempts: 0 });
  const { jetstream } = connection.info;
  await connection.close();
  if (!jetstream) throw new Error("it runs without JetStream");
};

/**
 * Makes sure that the servers that the environment names can be used.
 * @param {NodeJS.ProcessEnv} env
 * @throws {Error} with one sentence
 */
export const demandServers = async ({ MONGO_URL, NATS_URL }) => {
  const ask = async (/** @type {string} */ name, /** @type {string} */ url, /** @type {typeof askMongo} */ asking) => {
    await asking(url).catch((/** @type {Error} */ { message }) => {
      throw new Error(`${name}=${shown(url)} cannot be used: ${message}. Without ${name}, npm start runs its own.`);
    });
  };
  if (MONGO_URL) await ask("MONGO_URL", MONGO_URL, askMongo);
  if (NATS_URL) await ask("NATS_URL", NATS_URL, askNats);
};
