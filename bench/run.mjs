// `npm run bench`: measures the claims of docs/performance.md. Each figure is a median with its quartiles. A figure and
// its reference alternate in the same run, so that a slow moment of the machine affects both.
//   npm run bench                  one build
//   npm run bench -- all           every claim with its reference, in rounds; writes bench/results.md
//   npm run bench -- compare       two running installations side by side, through their API
//   npm run bench -- deliveries    webhook deliveries
//   npm run bench -- lists         lists and reads with little and much data
//   npm run bench -- growth        what happens as data, clients, followers, webhooks and runners grow; writes bench/growth.md
//   npm run bench -- footprint     memory of the idle services, size of their images
//   npm run bench -- machines      how long builds wait for virtual machines
//   npm run bench -- cache         the time of a cache hit, compared with `tar x`; fails above 1.3 times
//   npm run bench -- identity      the cost of authentication between services
//   npm run bench -- capacity      the capacity of one replica of each service
import { join } from "node:path";
import { build } from "../deploy/local/provision/build.mjs";
import { testDisks } from "../deploy/local/provision/disk.mjs";
import { sampleImage } from "../deploy/local/provision/images.mjs";
import { install } from "../deploy/local/provision/install.mjs";
import { freePort } from "../deploy/local/provision/machine.mjs";
import { apiAt } from "../deploy/local/start/api.mjs";
import { removeFolder, temporaryFolder } from "../deploy/local/start/guardian.mjs";
import { readOrCreateSettings } from "../deploy/local/start/settings.mjs";
import { startSystem } from "../deploy/local/start/system.mjs";
import { startWorld } from "./all/world.mjs";
import { cacheHits } from "./cache.mjs";
import { capacity } from "./capacity.mjs";
import { printDeliveries } from "./deliveries.mjs";
import { footprint } from "./footprint.mjs";
import { machines } from "./machines.mjs";
import { trivialBuilds } from "./trivial-build.mjs";

// process.exit also ends the local servers.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
await install();
await build();
process.env.LOG_LEVEL ||= "warn";
// Lifts the limits per user, because the benchmarks act as one user.
for (const limit of ["REQUESTS_PER_MINUTE", "REQUESTS_AT_ONCE"]) process.env[limit] ||= "0";
const [what, share] = process.argv.slice(2);
if (what === "lists") {
  // Imported late: it needs the compiled libraries.
  const { lists } = await import("./lists.mjs");
  process.exit((await lists(Number(share ?? 1))) ? 0 : 1);
}
if (what === "all") {
  const { benchAll } = await import("./all.mjs");
  process.exit((await benchAll(process.argv.slice(3))) ? 0 : 1);
}
if (what === "compare") {
  const { compare } = await import("./compare.mjs");
  await compare(process.argv.slice(3), process.env.TOKENS);
  process.exit(0);
}
if (what === "growth") {
  const { growth } = await import("./growth.mjs");
  await growth(Number(share ?? 1));
  process.exit(0);
}
if (what === "deliveries") {
  const world = await startWorld();
  await printDeliveries(world, Number(share ?? 3)).finally(world.stop);
  process.exit(0);
}
if (what === "identity") {
  await build(["deploy/certificates"]);
  const { identityCost } = await import("./identity.mjs");
  process.exit((await identityCost()) ? 0 : 1);
}
if (what === "capacity") Object.assign(process.env, { RUNNER_DRIVERS: "os", RUNNER_BUILDS: "16" });
const image = await sampleImage();
const disks = what === "machines" ? await testDisks() : undefined;
if (disks && "reason" in disks) throw new Error(`No disk for virtual machines: ${disks.reason}`);
const dataDir = temporaryFolder("service-ci-bench-");
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const imagesDir = join(dataDir, "images");
if (disks) {
  process.env.QEMU_MEMORY ||= "256MiB";
  Object.assign(process.env, { RUNNER_IMAGES_DIR: imagesDir, RUNNER_BUILDS: "1", RUNNER_WARM_VMS: "1" });
}
process.env.RUNNER_DRIVERS ||= [...(image ? ["docker"] : []), disks ? "qemu" : "os"].join(",");
const system = await startSystem({
  ...readOrCreateSettings(dataDir),
  url,
  port,
  dataDir,
  guardAllow: "",
  drivers: image ? "docker" : "os",
});
let passed = true;
try {
  const api = apiAt(url, readOrCreateSettings(dataDir).adminToken);
  if (what === "footprint") await footprint();
  else if (what === "capacity") await capacity(api);
  else if (what === "cache") {
    const docker = image && { docker: `  type: docker\n  image: ${image}\n  workspace: /build` };
    passed = await cacheHits({ api, folder: join(dataDir, "bench"), drivers: { os: "  type: os", ...docker } });
  } else if (disks) {
    const disk = join(disks.folder, "keyed.qcow2");
    await machines({ api, metricsUrl: system.runnerMetricsUrl, disk, imagesDir, image });
  } else await trivialBuilds(api, image);
} finally {
  await system.stop();
  removeFolder(dataDir);
}
process.exit(passed ? 0 : 1);
