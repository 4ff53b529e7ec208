// Prepares the tests of deploy/compose.yaml: Compose, images of MongoDB and NATS, and the services' images from
// deploy/Dockerfile. The last line of output is JSON: how to call Compose with these images, or why that is not possible.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildImage, services } from "../image/build.mjs";
import { isMadeHere, mongoImage, natsImage, nodeImage } from "../local/provision/images.mjs";
import { cacheDir, onPath, repoRoot, run, withLock } from "../local/provision/machine.mjs";
import { findTool } from "../local/test/tools.mjs";

/** Copies of the repository must not use each other's images. */
const tag = `test-${createHash("sha256").update(repoRoot).digest("hex").slice(0, 8)}`;

/** Tests of the same run share what the first one has prepared. */
const preparedFile = join(cacheDir, "compose-images.json");

const prepareOnce = () =>
  withLock("compose-images", async () => {
    const run = process.env.CI_TEST_RUN;
    try {
      const before = JSON.parse(readFileSync(preparedFile, "utf8"));
      if (run && before.run === run) return before.prepared;
    } catch {
      // Nothing is prepared yet.
    }
    const prepared = await prepare();
    writeFileSync(preparedFile, JSON.stringify({ run, prepared }));
    return prepared;
  });

const prepare = async () => {
  if (!onPath("docker")) return { reason: "docker is not installed" };
  const images = { node: await nodeImage(), mongo: await mongoImage(), nats: await natsImage() };
  for (const found of Object.values(images)) if ("reason" in found) return found;
  const { node, mongo, nats } = /** @type {Record<string, { image: string }>} */ (images);
  const compose = await findTool("compose");
  if ("reason" in compose) return compose;
  // Use this machine's registry for packages inside the image as well.
  if (isMadeHere(node.image))
    process.env.NPM_CONFIG_REGISTRY ||= (await run("npm", ["config", "get", "registry"])).stdout.trim();
  const build = (/** @type {string} */ service) => buildImage({ service, tag, nodeImage: node.image, quiet: true });
  // The first build makes the layers that all images share.
  const [first, ...others] = services;
  await build(first);
  await Promise.all(others.map(build));
  return { command: compose.command, env: { CI_VERSION: tag, MONGO_IMAGE: mongo.image, NATS_IMAGE: nats.image } };
};

console.log(JSON.stringify(await prepareOnce().catch((error) => ({ reason: error.message, failed: true }))));
