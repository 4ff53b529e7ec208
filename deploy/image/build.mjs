// `npm run images`: builds all images of Service CI with the docker client's engine.
//   npm run images [-- TAG]        default: the version in package.json
// Environment: CI_IMAGES, the prefix of their names (`service-ci`); CI_NODE_IMAGE, the image that builds them;
// CI_RUNTIME_IMAGE, their base; NPM_CONFIG_REGISTRY, the registry for packages.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { lastLine, repoRoot, run } from "../local/provision/machine.mjs";

/** The version of this tree. */
export const { version } = JSON.parse(readFileSync(join(repoRoot, "package.json"), "utf8"));

/** The services. Each has an image of its name. */
export const services = readdirSync(join(repoRoot, "services")).sort();

/** Returns the name of an image. @param {string} name @param {string} tag */
export const imageName = (name, tag) => `${process.env.CI_IMAGES || "service-ci"}/${name}:${tag}`;

/**
 * Builds one image.
 * @param {{ service: string, target?: "service" | "qemu", tag: string, nodeImage?: string, quiet?: boolean }} wanted
 * @returns {Promise<string>} its name
 * @throws {Error} with the last line of the builder's output
 */
export const buildImage = async ({ service, target = "service", tag, nodeImage, quiet = false }) => {
  const name = imageName(target === "qemu" && service === "runner" ? "runner-qemu" : service, tag);
  const revision = await run("git", ["rev-parse", "HEAD"], { cwd: repoRoot });
  const settings = {
    SERVICE: service,
    VERSION: version,
    REVISION: revision.stdout.trim() || "unknown",
    NODE_IMAGE: nodeImage ?? process.env.CI_NODE_IMAGE,
    RUNTIME_IMAGE: process.env.CI_RUNTIME_IMAGE,
    NPM_CONFIG_REGISTRY: process.env.NPM_CONFIG_REGISTRY,
  };
  const args = Object.entries(settings).flatMap(([key, value]) => (value ? ["--build-arg", `${key}=${value}`] : []));
  const command = ["build", "-f", "deploy/Dockerfile", "--target", target, ...args, "-t", name, "."];
  const stdio = quiet ? undefined : /** @type {const} */ ("inherit");
  const { code, stdout, stderr } = await run("docker", command, { cwd: repoRoot, ...(stdio ? { stdio } : {}) });
  if (code !== 0) throw new Error(`${name} could not be built: ${lastLine(stderr) || lastLine(stdout)}`);
  return name;
};

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const tag = process.argv[2] ?? version;
  for (const service of services) await buildImage({ service, target: service === "images" ? "qemu" : "service", tag });
  await buildImage({ service: "runner", target: "qemu", tag });
}
