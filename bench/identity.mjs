// `npm run bench -- identity`: the cost of authentication between services. Three systems accept the same builds in
// turn: one without authentication, one with keys, one with mutual TLS. The exit code is 1 if keys or TLS make
// POST /builds more than 5 % slower.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newAuthority } from "../deploy/certificates/dist/authority.js";
import { startMongod } from "../deploy/local/provision/binaries.mjs";
import { freePort, repoRoot } from "../deploy/local/provision/machine.mjs";
import { apiAt } from "../deploy/local/start/api.mjs";
import { temporaryFolder } from "../deploy/local/start/guardian.mjs";
import { services } from "../deploy/local/start/service-keys.mjs";
import { readOrCreateSettings } from "../deploy/local/start/settings.mjs";
import { startSystem } from "../deploy/local/start/system.mjs";
import { quartiles } from "./statistics.mjs";

/** @typedef {"none" | "keys" | "mTLS"} Way */

const ways = /** @type {Way[]} */ (["none", "keys", "mTLS"]);
const bound = 1.05;
/** Requests that are not counted, while V8 compiles code. */
const warmUp = 100;
const rounds = 200;
/** Repeated measurements before a missed bound counts. */
const secondLooks = 3;

// No runner serves this driver, so the system handles nothing but the requests.
const manifest = JSON.stringify({
  driver: { type: "docker", image: "none", workspace: "/w" },
  stages: ["test"],
  jobs: [{ stage: "test", commands: ["true"] }],
});

/** Makes certificates for services on the loopback. @param {string} folder */
const certificatesIn = async (folder) => {
  const authority = await newAuthority(2);
  for (const service of services) {
    const { cert, key } = await authority.sign([service, "127.0.0.1"], 2);
    mkdirSync(join(folder, service), { recursive: true });
    for (const [name, text] of Object.entries({ "tls.crt": cert, "tls.key": key, "ca.crt": authority.ca }))
      writeFileSync(join(folder, service, name), text, { mode: 0o600 });
  }
  return (/** @type {string} */ service) => ({
    TLS_CERT: join(folder, service, "tls.crt"),
    TLS_KEY: join(folder, service, "tls.key"),
    TLS_CA: join(folder, service, "ca.crt"),
  });
};

/** @param {Way} way @param {string} dataDir */
const startWith = async (way, dataDir) => {
  const settings = readOrCreateSettings(dataDir);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  process.env.MONGO_DB = `bench_${way}`;
  const options = process.env.NODE_OPTIONS;
  if (way === "none")
    process.env.NODE_OPTIONS = `${options ?? ""} --require ${join(repoRoot, "bench/no-identity.cjs")}`;
  const identityOf = way === "mTLS" ? await certificatesIn(join(dataDir, "tls")) : undefined;
  const system = await startSystem({ ...settings, url, port, dataDir, guardAllow: "", drivers: "os", identityOf });
  process.env.NODE_OPTIONS = options ?? "";
  return { way, stop: system.stop, api: apiAt(url, settings.adminToken) };
};

/** @typedef {Awaited<ReturnType<typeof startWith>>} System */

/** Submits builds to all systems in turn, and each time begins with another one. @param {System[]} systems @param {number} times */
const submitTo = async (systems, times) => {
  const taken = new Map(ways.map((way) => [way, /** @type {number[]} */ ([])]));
  for (let n = 0; n < times; n++)
    for (let turn = 0; turn < systems.length; turn++) {
      const { way, api } = systems[(n + turn) % systems.length];
      const from = performance.now();
      await api.json("POST", "/builds", { manifest });
      taken.get(way)?.push(performance.now() - from);
    }
  return taken;
};

/** Returns whether no bound was missed. */
export const identityCost = async () => {
  const dataDir = temporaryFolder("service-ci-bench-");
  const stops = /** @type {(() => unknown)[]} */ ([]);
  try {
    const logFile = join(dataDir, "mongod.log");
    const mongod = await startMongod({ dataDir: join(dataDir, "mongod"), logFile, port: await freePort() });
    stops.push(mongod.stop);
    process.env.MONGO_URL = mongod.url;
    const systems = [];
    for (const way of ways) {
      const system = await startWith(way, join(dataDir, way));
      stops.push(system.stop);
      systems.push(system);
    }
    await submitTo(systems, warmUp);
    const taken = await submitTo(systems, rounds);
    const medianOf = (/** @type {Way} */ way) => quartiles(taken.get(way) ?? [])[1];
    const missed = () => ways.filter((way) => medianOf(way) > bound * medianOf("none"));
    for (let n = 0; n < secondLooks && missed().length > 0; n++)
      for (const [way, more] of await submitTo(systems, rounds)) taken.get(way)?.push(...more);
    console.log("POST /builds, in turn; quartiles and median");
    for (const way of ways) {
      const values = quartiles(taken.get(way) ?? []).map((value) => value.toFixed(2));
      console.log(`  ${way.padEnd(5)} ${values.join(" .. ")} ms   ${(medianOf(way) / medianOf("none")).toFixed(3)}`);
    }
    console.log(missed().length > 0 ? `More than ${bound}: ${missed().join(", ")}` : `At most ${bound}`);
    return missed().length === 0;
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
};
