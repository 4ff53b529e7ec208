// What the tests of deploy/compose.yaml need: Compose, vendors' images or our own in their place, and the images of the
// services, made by deploy/Dockerfile. The last line printed is JSON: how to call Compose and with which images, or why not.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildImage, services } from "../image/build.mjs";
import { isMadeHere, mongoImage, natsImage, nodeImage } from "../local/provision/images.mjs";
import { cacheDir, onPath, repoRoot, run, withLock } from "../local/provision/machine.mjs";
import { findTool } from "../local/test/tools.mjs";

/** Two copies of the repository must not take each other's images. */
const tag = `test-${createHash("sha256").update(repoRoot).digest("hex").slice(0, 8)}`;

/** What one of the tests has prepared, the others of the same run use as it is. */
const preparedFile = join(cacheDir, "compose-images.json");

const prepareOnce = () =>
  withLock("compose-images", async () => {
    const run = process.env.CI_TEST_RUN;
    try {
      const before = JSON.parse(readFileSync(preparedFile, "utf8"));
      if (run && before.run === run) return before.answer;
    } catch {
      // Nothing has been prepared here yet.
    }
    const answer = await prepare();
    writeFileSync(preparedFile, JSON.stringify({ run, answer }));
    return answer;
  });

const prepare = async () => {
  if (!onPath("docker")) return { reason: "there is no docker client" };
  const images = { node: await nodeImage(), mongo: await mongoImage(), nats: await natsImage() };
  for (const found of Object.values(images)) if ("reason" in found) return found;
  const { node, mongo, nats } = /** @type {Record<string, { image: string }>} */ (images);
  const compose = await findTool("compose");
  if ("reason" in compose) return compose;
  // Where a registry of packages has been chosen on this machine, it is the one to use inside as well.
  if (isMadeHere(node.image))
    process.env.NPM_CONFIG_REGISTRY ||= (await run("npm", ["config", "get", "registry"])).stdout.trim();
  const build = (/** @type {string} */ service) => buildImage({ service, tag, nodeImage: node.image, quiet: true });
  // What all have in common is made with the first one.
  const [first, ...others] = services;
  await build(first);
  await Promise.all(others.map(build));
  return { command: compose.command, env: { CI_VERSION: tag, MONGO_IMAGE: mongo.image, NATS_IMAGE: nats.image } };
};

console.log(JSON.stringify(await prepareOnce().catch((error) => ({ reason: error.message, failed: true }))));
