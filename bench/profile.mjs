// `npm run profile -- submit|get|list|build|deliver|upload`: profiles each service under one load, and prints the functions and
// libraries that took most of its CPU time. The profiles are kept, for Chrome's developer tools.
//   npm run profile -- get 10000     another number of operations
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "../deploy/local/provision/build.mjs";
import { install } from "../deploy/local/provision/install.mjs";
import { freePort } from "../deploy/local/provision/machine.mjs";
import { apiAt } from "../deploy/local/start/api.mjs";
import { removeFolder, temporaryFolder } from "../deploy/local/start/guardian.mjs";
import { readOrCreateSettings } from "../deploy/local/start/settings.mjs";
import { startSystem } from "../deploy/local/start/system.mjs";
import { printProfile } from "./cpu-profile.mjs";
import { processesOfChildren } from "./processes.mjs";
import { manifest } from "./trivial-build.mjs";

const clients = 16;
const os = manifest("  type: os");
/** No runner serves docker here, so these builds stay queued. */
const docker = manifest("  type: docker\n  image: x\n  workspace: /w");

/** @typedef {import("../deploy/local/start/api.mjs").Api} Api */
/** @typedef {{ count: number, prepare: (api: Api) => Promise<() => Promise<unknown>> }} Load */

/** @param {Api} api @param {string} text @returns {Promise<{ url: string, output_url: string, namespace: any }>} */
const submit = (api, text) => api.json("POST", "/builds", { manifest: text });

/** @param {Api} api */
const runToEnd = async (api, text = os) => {
  const record = await submit(api, text);
  for await (const { event } of api.stream(record.output_url)) if (event === "end") break;
  return record;
};

/** Pins a build of a namespace with a webhook, and unpins it, in turn. @param {Api} api */
const pins = async (api) => {
  const receiver = createServer((request, response) => request.resume().on("end", () => response.writeHead(204).end()));
  await new Promise((resolve) => receiver.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (receiver.address());
  const { url, namespace } = await runToEnd(api, `namespace: profiled\n${os}`);
  await api.json("POST", `${namespace.url}/-/webhooks`, { payload_url: `http://127.0.0.1:${port}/` });
  let count = 0;
  return () => api.json("PATCH", `${url}/${count++ % 2 === 0 ? "pin" : "unpin"}`);
};

/** Uploads objects of 4 MiB. @param {Api} api */
const uploads = async ({ url, token }) => {
  const body = Buffer.alloc(4 * 1024 ** 2, "x");
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/octet-stream" };
  let count = 0;
  return async () => {
    const response = await fetch(`${url}/objects?name=object-${count++}`, { method: "POST", body, headers });
    if (!response.ok) throw new Error(`POST /objects: ${response.status} ${await response.text()}`);
  };
};

/** @type {Record<string, Load>} */
const loads = {
  submit: { count: 3_000, prepare: async (api) => () => submit(api, docker) },
  get: {
    count: 10_000,
    async prepare(api) {
      const { url } = await runToEnd(api);
      return () => api.json("GET", url);
    },
  },
  list: {
    count: 4_000,
    async prepare(api) {
      for (let n = 0; n < 30; n++) await runToEnd(api);
      return () => api.json("GET", "/builds");
    },
  },
  build: { count: 600, prepare: async (api) => () => runToEnd(api) },
  deliver: { count: 3_000, prepare: pins },
  upload: { count: 200, prepare: uploads },
};

const [what = "", given] = process.argv.slice(2);
const load = loads[what];
if (!load) throw new Error(`Name one load: ${Object.keys(loads).join(", ")}.`);
// process.exit also ends the local servers.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
await install();
await build();
process.env.LOG_LEVEL ||= "warn";
for (const limit of ["REQUESTS_PER_MINUTE", "REQUESTS_AT_ONCE"]) process.env[limit] ||= "0";
const dataDir = temporaryFolder("service-ci-profile-");
Object.assign(process.env, { RUNNER_DRIVERS: "os", RUNNER_BUILDS: "8", DRIVERS: "os,docker" });
const preload = fileURLToPath(new URL("profiled.cjs", import.meta.url));
process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ""} --require=${preload}`;
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const settings = readOrCreateSettings(dataDir);
const system = await startSystem({ ...settings, url, port, dataDir, guardAllow: "127.0.0.1/32", drivers: "os,docker" });
const serviceNames = ["gateway", "builds", "namespaces", "images", "webhooks", "runner"];
const services = [...processesOfChildren()].filter(([, name]) => serviceNames.includes(name));
try {
  const work = await load.prepare(apiAt(url, settings.adminToken));
  for (const [id] of services) process.kill(id, "SIGUSR2");
  let left = Number(given ?? load.count);
  const client = async () => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: clients }, client));
} finally {
  // A process writes its profile when it ends.
  await system.stop();
}
for (const [id, name] of services) {
  const file = join(tmpdir(), `service-ci-${process.pid}-${id}.cpuprofile`);
  if (existsSync(file)) printProfile(name, file);
}
removeFolder(dataDir);
process.exit(0);
