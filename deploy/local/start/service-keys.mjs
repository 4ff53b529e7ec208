// The keys by which the services of `npm start` prove to each other which one they are. Each gets only its own.
import { createPrivateKey, createPublicKey, generateKeyPairSync } from "node:crypto";

/**
 * Private keys (Ed25519, PKCS #8, base64) by service.
 * @typedef {Record<string, string>} ServiceKeys
 */

/** The services' names. */
export const services = ["gateway", "namespaces", "builds", "images", "webhooks", "runner"];

/** Those with a database. */
export const storedServices = ["namespaces", "images", "builds", "webhooks"];

/** @param {import("node:crypto").KeyObject} key @param {"pkcs8" | "spki"} type */
const textOf = (key, type) => /** @type {Buffer} */ (key.export({ format: "der", type })).toString("base64");

/** Makes a key for each service. @returns {ServiceKeys} */
export const createServiceKeys = () =>
  Object.fromEntries(services.map((name) => [name, textOf(generateKeyPairSync("ed25519").privateKey, "pkcs8")]));

/** @param {string} key */
const publicOf = (key) =>
  textOf(createPublicKey(createPrivateKey({ key: Buffer.from(key, "base64"), format: "der", type: "pkcs8" })), "spki");

/** Returns the settings of a service: its own private key, and the public keys of all. @param {ServiceKeys} keys */
export const keySettings = (keys) => {
  const peers = Object.entries(keys).map(([name, key]) => `${name}:${publicOf(key)}`);
  return (/** @type {string} */ service) => ({ SERVICE_KEY: keys[service], SERVICE_PEERS: peers.join(",") });
};
