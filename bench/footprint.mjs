// Measures the idle system: the memory of each service, and the size of its image on the engine.
import { setTimeout as pause } from "node:timers/promises";
import { imageName, services, version } from "../deploy/image/build.mjs";
import { run } from "../deploy/local/provision/machine.mjs";
import { memoryOfChildren } from "./processes.mjs";
import { quantile } from "./statistics.mjs";

const settleMs = 5 * 60_000;
const samples = 10;
const mb = (/** @type {number} */ bytes) => `${Math.round(bytes / 1e6)} MB`;

/** @param {string} image @returns {Promise<{ Size: number, Config: { Labels: Record<string, string> } } | undefined>} */
const inspected = async (image) => {
  const { code, stdout } = await run("docker", ["image", "inspect", image]);
  return code === 0 ? JSON.parse(stdout)[0] : undefined;
};

/** Returns the size of a service's image, and how much of it is not its base. @param {string} service */
const sizeOf = async (service) => {
  const image = await inspected(imageName(service, process.env.CI_VERSION || version));
  if (!image) return "not built (npm run images)";
  const base = await inspected(image.Config.Labels["org.opencontainers.image.base.name"]);
  return base ? `${mb(image.Size)}, ${mb(image.Size - base.Size)} of it beyond its base` : mb(image.Size);
};

/** Measures the services that are children of this process. */
export const footprint = async () => {
  console.log(`Waiting ${settleMs / 60_000} minutes for the services to settle ...`);
  await pause(settleMs);
  /** @type {Map<string, number[]>} */
  const seen = new Map(services.map((service) => [service, []]));
  for (let nth = 0; nth < samples; nth++) {
    await pause(1_000);
    const now = memoryOfChildren();
    for (const [service, bytes] of seen) bytes.push(now.get(service) ?? Number.NaN);
  }
  const medians = [...seen].map(([service, bytes]) => ({ service, bytes: quantile(bytes, 0.5) }));
  for (const { service, bytes } of medians)
    console.log(`${service.padEnd(12)}${mb(bytes).padStart(8)} of memory; image ${await sizeOf(service)}`);
  console.log(`${"together".padEnd(12)}${mb(medians.reduce((sum, { bytes }) => sum + bytes, 0)).padStart(8)}`);
};
