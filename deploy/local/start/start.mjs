// `npm start`: everything on this machine, from a clean clone with nothing but Node and npm.
//   --once   exit after the sample build, with 0 if and only if it passed
//   --fresh  forget all data of earlier starts
import { createHash, randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { build } from "../provision/build.mjs";
import { sampleImage } from "../provision/images.mjs";
import { install } from "../provision/install.mjs";
import { repoRoot, waitFor } from "../provision/machine.mjs";
import { apiAt } from "./api.mjs";
import { download, runSample } from "./sample.mjs";
import { startReceiver } from "./sample-receiver.mjs";
import { readOrMakeSettings } from "./settings.mjs";
import { startSystem } from "./system.mjs";

const dataDir = join(repoRoot, ".data");
const logDir = join(dataDir, "logs");
const flags = process.argv.slice(2);
const say = (/** @type {string} */ text) => console.log(text);

/** What has to be ended, the last one first. */
const stops = /** @type {(() => unknown)[]} */ ([]);
const stopAll = async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
};

/** @param {number} port */
const demandFree = (port) =>
  new Promise((resolve, reject) => {
    const server = createServer()
      .once("error", () => reject(new Error(`Port ${port} is in use: set CI_PORT to another one.`)))
      .listen(port, "127.0.0.1", () => server.close(() => resolve(undefined)));
  });

/** @param {any} build @param {any[]} artifacts @param {number} seconds @param {import("./api.mjs").Api} api */
const report = async (build, artifacts, seconds, api) => {
  for (const artifact of artifacts.filter(({ size }) => size !== null)) {
    const content = await download(api, artifact);
    const same = createHash("sha256").update(content).digest("hex") === artifact.sha256;
    say(`Artifact ${artifact.name}: ${artifact.size} bytes, downloaded, hash ${same ? "matches" : "DIFFERS"}`);
  }
  say(`\nBuild #${build.number} ${build.status} in ${seconds.toFixed(1)} s: ${build.url}`);
};

const start = async () => {
  const unknown = flags.filter((flag) => !["--once", "--fresh"].includes(flag));
  if (unknown.length > 0) throw new Error(`Unknown: ${unknown.join(" ")}. Known are --once and --fresh.`);
  const port = Number(process.env.CI_PORT || 8080);
  await demandFree(port);
  await install();
  say("Building ...");
  await build();
  if (flags.includes("--fresh")) rmSync(dataDir, { recursive: true, force: true });
  const { adminToken, secretKeys } = readOrMakeSettings(dataDir);
  const image = await sampleImage();
  const driver = image ? "docker" : "os";
  if (driver === "os") say("The sample build runs with the os driver: as processes of this machine.");
  const secret = randomBytes(16).toString("hex");
  const heard = new Set();
  const receiver = await startReceiver(secret, (kind) => heard.add(kind));
  stops.push(receiver.stop);
  const url = process.env.PUBLIC_URL || `http://127.0.0.1:${port}`;
  const guardAllow = [process.env.CI_GUARD_ALLOW, receiver.address].filter(Boolean).join(",");
  say("Starting MongoDB, NATS and the six services ...");
  const { died, stop } = await startSystem({ url, port, adminToken, secretKeys, guardAllow, driver, dataDir });
  stops.push(stop);
  const api = apiAt(`http://127.0.0.1:${port}`, adminToken);
  const sample = runSample(api, { driver, image, receiver, secret });
  const result = await Promise.race([sample, died]);
  if (typeof result === "string") throw new Error(result);
  const wanted = ["build.submitted", "build.started", "build.finished"];
  await waitFor(() => wanted.every((kind) => heard.has(kind)), { withinMs: 10_000 });
  say(`\nWebhook: ${[...heard].join(", ") || "nothing"} received, each signature verified`);
  await report(result.build, result.artifacts, result.seconds, api);
  if (flags.includes("--once")) return result.build.status === "passed" ? 0 : 1;
  say(`
The API is at ${url}, the token of user "admin" is
  ${adminToken}
Try:
  curl -H "Authorization: Bearer ${adminToken}" ${url}/builds
  curl -H "Authorization: Bearer ${adminToken}" ${result.build.output_url}
  curl -H "Authorization: Bearer ${adminToken}" --json '{"manifest":"driver: {type: ${driver}${driver === "docker" ? `, image: \\"${image}\\", workspace: /build` : ""}}\\nstages: [test]\\njobs: [{stage: test, commands: [echo hello]}]"}' ${url}/builds
Logs are in ${logDir}. Ctrl-C stops everything.`);
  throw new Error(await died);
};

for (const signal of ["SIGINT", "SIGTERM"])
  process.once(signal, async () => {
    say("\nStopping ...");
    await stopAll();
    process.exit(0);
  });
const code = await start().catch((/** @type {Error} */ error) => {
  console.error(error.message);
  return 1;
});
await stopAll();
process.exit(code);
