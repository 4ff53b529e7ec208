// Images for the tests and for the sample build: present on the engine, pulled, or made here where no registry answers.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { askEngine, dockerAnswers } from "./engine.mjs";
import { alone } from "./machine.mjs";
import { busybox, mongo, nats, node } from "./recipes.mjs";

/**
 * A registry that sends nothing for this long counts as out of reach. It limits silence, not the download:
 * a slow line is no reason to give up.
 */
const silenceMs = 20_000;

/**
 * @typedef {{ image: string } | { reason: string }} Found
 */

/** MongoDB for the tests. @returns {Promise<Found>} */
export const mongoImage = () => find("CI_MONGO_IMAGE", "mongo:8", mongo);

/** NATS for the tests. @returns {Promise<Found>} */
export const natsImage = () => find("CI_NATS_IMAGE", "nats:2", nats);

/** An image in which tests run their builds: it has a shell and the usual small programs. @returns {Promise<Found>} */
export const testImage = () => find("CI_TEST_IMAGE", "busybox:1.37", busybox);

/** What the images of the services are made of. @returns {Promise<Found>} */
export const nodeImage = () => find("CI_NODE_IMAGE", "node:22.21.1-bookworm-slim", node);

/** What removes the containers of a test run that was killed. It cannot be made here. @returns {Promise<Found>} */
export const reaperImage = () => find("RYUK_CONTAINER_IMAGE", "testcontainers/ryuk:0.14.0");

/**
 * An image for the sample build that is present on the engine; without one it prints why.
 * @returns {Promise<string | undefined>}
 */
export const sampleImage = async () => {
  const found = await testImage();
  if ("image" in found) return found.image;
  console.log(`No image for the sample build: ${found.reason}`);
  return undefined;
};

/**
 * Whether an image was made here, because no registry had answered.
 * @param {string} tag
 */
export const isOwn = (tag) => tag.startsWith("service-ci/");

/**
 * @param {string} variable an environment variable that names the image to use
 * @param {string} vendorTag what to use if a registry answers
 * @param {import("./recipes.mjs").Recipe} [recipe] how to make one's own if none does
 * @returns {Promise<Found>}
 */
const find = async (variable, vendorTag, recipe) => {
  const engine = await dockerAnswers();
  if (!engine) return { reason: "no Docker Engine answers" };
  const chosen = process.env[variable];
  if (chosen) return (await has(engine, chosen)) ? { image: chosen } : pull(engine, chosen);
  for (const tag of recipe ? [vendorTag, recipe.tag] : [vendorTag]) if (await has(engine, tag)) return { image: tag };
  return alone(`image-${vendorTag.replaceAll(/\W/g, "-")}`, async () => {
    const pulled = await pull(engine, vendorTag);
    return "image" in pulled || !recipe ? pulled : make(engine, recipe, pulled.reason);
  });
};

/**
 * @param {string} engine
 * @param {string} tag
 */
const has = async (engine, tag) => (await askEngine(engine, "GET", `/images/${tag}/json`)).status === 200;

/**
 * @param {string} engine
 * @param {string} tag
 * @returns {Promise<Found>}
 */
const pull = async (engine, tag) => {
  console.log(`Pulling ${tag} ...`);
  const path = `/images/create?fromImage=${encodeURIComponent(tag)}`;
  const refusal = await askEngine(engine, "POST", path, { silenceMs }).then(refusalOf, (error) => error.message);
  return refusal ? { reason: `${tag} cannot be pulled: ${refusal}` } : { image: tag };
};

/**
 * Why the engine did not do what it was asked; nothing if it did.
 * It answers 200 before it knows, and tells a later failure in the last line of the body.
 * @param {{ status: number, body: string }} answer
 * @returns {string | undefined}
 */
const refusalOf = ({ status, body }) => {
  const { error, message } = JSON.parse(body.trim().split("\n").at(-1) || "{}");
  return error ?? message ?? (status === 200 ? undefined : `the engine answered ${status}`);
};

/**
 * @param {string} engine
 * @param {import("./recipes.mjs").Recipe} recipe
 * @param {string} because why it could not be pulled
 * @returns {Promise<Found>}
 */
const make = async (engine, { tag, changes, fill }, because) => {
  if (process.platform !== "linux") return { reason: because };
  console.log(`Making ${tag}, since ${because}`);
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
    await askEngine(engine, "POST", `/images/create?${query}`, { body: tar.stdout, silenceMs: 600_000 }),
  );
};
