// Finds images for the tests and the sample build: on the engine, in a registry, or made here if no registry answers.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findEngine, requestEngine } from "./engine.mjs";
import { withLock } from "./machine.mjs";
import { busybox, mongo, nats, node } from "./recipes.mjs";

/**
 * A registry that sends nothing for this long counts as unreachable. A slow download may take longer.
 */
const silenceMs = 20_000;

/**
 * @typedef {{ image: string } | { reason: string }} Found
 */

/** Finds MongoDB for the tests. @returns {Promise<Found>} */
export const mongoImage = () => find("CI_MONGO_IMAGE", "mongo:8", mongo);

/** Finds NATS for the tests. @returns {Promise<Found>} */
export const natsImage = () => find("CI_NATS_IMAGE", "nats:2", nats);

/** Finds the image in which tests run their builds: a shell and common small programs. @returns {Promise<Found>} */
export const testImage = () => find("CI_TEST_IMAGE", "busybox:1.37", busybox);

/** Finds the base of the services' images. @returns {Promise<Found>} */
export const nodeImage = () => find("CI_NODE_IMAGE", "node:26.12.1-trixie-slim", node);

/** Finds the image that removes the containers of a killed test run. It cannot be made here. @returns {Promise<Found>} */
export const reaperImage = () => find("RYUK_CONTAINER_IMAGE", "testcontainers/ryuk:0.14.0");

/**
 * Returns an image for the sample build on the engine, or prints why there is none.
 * @returns {Promise<string | undefined>}
 */
export const sampleImage = async () => {
  const found = await testImage();
  if ("image" in found) return found.image;
  console.log(`No image for the sample build: ${found.reason}`);
  return undefined;
};

/**
 * Reports whether an image was made here because no registry answered.
 * @param {string} tag
 */
export const isMadeHere = (tag) => tag.startsWith("service-ci/");

/**
 * @param {string} variable environment variable that names the image
 * @param {string} vendorTag the image to pull
 * @param {import("./recipes.mjs").Recipe} [recipe] how to make an image if no registry answers
 * @returns {Promise<Found>}
 */
const find = async (variable, vendorTag, recipe) => {
  const engine = await findEngine();
  if (!engine) return { reason: "no Docker Engine answers" };
  const chosen = process.env[variable];
  if (chosen) return (await has(engine, chosen)) ? { image: chosen } : pull(engine, chosen);
  for (const tag of recipe ? [vendorTag, recipe.tag] : [vendorTag]) if (await has(engine, tag)) return { image: tag };
  return withLock(`image-${vendorTag.replaceAll(/\W/g, "-")}`, async () => {
    const pulled = await pull(engine, vendorTag);
    return "image" in pulled || !recipe ? pulled : make(engine, recipe, pulled.reason);
  });
};

/**
 * @param {string} engine
 * @param {string} tag
 */
const has = async (engine, tag) => (await requestEngine(engine, "GET", `/images/${tag}/json`)).status === 200;

/**
 * @param {string} engine
 * @param {string} tag
 * @returns {Promise<Found>}
 */
const pull = async (engine, tag) => {
  console.log(`Pulling ${tag} ...`);
  const path = `/images/create?fromImage=${encodeURIComponent(tag)}`;
  const refusal = await requestEngine(engine, "POST", path, { silenceMs }).then(refusalOf, (error) => error.message);
  return refusal ? { reason: `${tag} cannot be pulled: ${refusal}` } : { image: tag };
};

/**
 * Says why a request failed, or returns undefined. The engine responds 200 early and reports a later failure in the last
 * line of the body.
 * @param {{ status: number, body: string }} response
 * @returns {string | undefined}
 */
const refusalOf = ({ status, body }) => {
  const { error, message } = JSON.parse(body.trim().split("\n").at(-1) || "{}");
  return error ?? message ?? (status === 200 ? undefined : `the engine returned ${status}`);
};

/**
 * @param {string} engine
 * @param {import("./recipes.mjs").Recipe} recipe
 * @param {string} because why it could not be pulled
 * @returns {Promise<Found>}
 */
const make = async (engine, { tag, changes, fill }, because) => {
  if (process.platform !== "linux") return { reason: because };
  console.log(`Making ${tag}, because ${because}`);
  const dir = mkdtempSync(join(tmpdir(), "service-ci-"));
  const [root, scratch] = [join(dir, "root"), join(dir, "scratch")];
  try {
    mkdirSync(root);
    mkdirSync(scratch);
    await fill(root, scratch);
    const refusal = await importFolder(engine, root, tag, changes);
    return refusal ? { reason: refusal } : { image: tag };
  } catch (error) {
    return { reason: `${because}; ${tag} cannot be made: ${/** @type {Error} */ (error).message}` };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
};

/**
 * @param {string} engine
 * @param {string} root
 * @param {string} tag
 * @param {string[]} changes
 */
const importFolder = async (engine, root, tag, changes) => {
  const tar = spawn("tar", ["-C", root, "--owner=0", "--group=0", "--numeric-owner", "-cf", "-", "."], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [repo, version] = tag.split(":");
  const query = new URLSearchParams([
    ["fromSrc", "-"],
    ["repo", repo],
    ["tag", version],
  ]);
  for (const change of changes) query.append("changes", change);
  return refusalOf(
    await requestEngine(engine, "POST", `/images/create?${query}`, { body: tar.stdout, silenceMs: 600_000 }),
  );
};
