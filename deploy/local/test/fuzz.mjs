// `npm run fuzz`: starts a system and sends it at least 20,000 requests that /openapi.json allows or forbids. Fails on any
// 5xx and on any response that /openapi.json does not promise.
//   --seed N       start with this seed instead of 1; a seed repeats its requests, except what depends on responses
//   --requests N   send at least this many requests
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "../provision/build.mjs";
import { install } from "../provision/install.mjs";
import { cacheDir, freePort, run } from "../provision/machine.mjs";
import { apiAt } from "../start/api.mjs";
import { onStop, runCommand } from "../start/cleanup.mjs";
import { startReceiver } from "../start/sample-receiver.mjs";
import { readOrCreateSettings } from "../start/settings.mjs";
import { startSystem } from "../start/system.mjs";
import { configOf, knownPaths } from "./fuzz/config.mjs";
import { readLines, summed } from "./fuzz/counts.mjs";
import { findSchemathesis } from "./fuzz/schemathesis.mjs";
import { aUser, seed } from "./fuzz/seeds.mjs";
import { heading } from "./steps.mjs";
import { prepareServers } from "./surroundings.mjs";

const { values: flags } = parseArgs({
  options: { seed: { type: "string", default: "1" }, requests: { type: "string", default: "20000" } },
});
const reportDir = join(cacheDir, "fuzz");
/** Test cases for each operation in each phase of a round. */
const casesPerRound = 60;

/** Starts a system whose MongoDB refuses every query without an index. */
const start = async () => {
  const servers = await prepareServers();
  onStop(servers.stop);
  Object.assign(process.env, servers.env, { RUNNER_DRIVERS: "os" });
  process.env.LOG_LEVEL ||= "warn";
  for (const limit of ["REQUESTS_PER_MINUTE", "ANONYMOUS_REQUESTS_PER_MINUTE"]) process.env[limit] ||= "0";
  const receiver = await startReceiver("");
  onStop(receiver.stop);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const settings = readOrCreateSettings(reportDir);
  const system = await startSystem({
    ...settings,
    url,
    port,
    dataDir: reportDir,
    guardAllow: receiver.address,
    drivers: "os",
  });
  onStop(system.stop);
  return { ...system, admin: apiAt(url, settings.adminToken), receiverUrl: receiver.url };
};

/**
 * Runs one round over all operations.
 * @param {string} program
 * @param {{ url: string, token: string, config: string, known: object, seed: number }} of
 * @returns {Promise<boolean>} whether Schemathesis found no error
 */
const runRound = async (program, { url, token, config, known, seed }) => {
  const configFile = join(reportDir, `schemathesis-${seed}.toml`);
  writeFileSync(configFile, config);
  const knownFile = join(reportDir, `known-${seed}.json`);
  writeFileSync(knownFile, JSON.stringify(known));
  // One worker keeps the order, and Hypothesis parses Python code, which crashes Python 3.11 in two threads at once.
  const args = ["--config-file", configFile, "run", `${url}/openapi.json`, "--seed", `${seed}`, "--workers", "1"];
  const more = ["--max-examples", `${casesPerRound}`, "--continue-on-failure", "--suppress-health-check", "all"];
  const env = { ...process.env, PYTHONUNBUFFERED: "1", PYTHONDONTWRITEBYTECODE: "1", FUZZ_KNOWN: knownFile };
  const header = ["--header", `Authorization: Bearer ${token}`];
  const { code } = await run(program, [...args, ...more, ...header, "--no-color"], {
    cwd: reportDir,
    env,
    stdio: "inherit",
  });
  return code === 0;
};

const fuzz = async () => {
  await install();
  await build();
  const program = await findSchemathesis();
  rmSync(reportDir, { recursive: true, force: true });
  mkdirSync(reportDir, { recursive: true });
  heading("surroundings");
  const { admin, receiverUrl, metricsUrl, died } = await start();
  const fuzzer = await aUser(admin, "fuzzer", true);
  const description = await admin.json("GET", "/openapi.json");
  const { username } = await admin.json("GET", "/user");
  const tokens = (await admin.json("GET", "/tokens")).map((/** @type {{ id: number }} */ { id }) => id);
  const protectedIds = { "/tokens/{id}": [...tokens, fuzzer.tokenId], "/users/{username}": [username] };
  let clean = true;
  let counts = summed([]);
  for (let round = 0; counts.requests < Number(flags.requests); round++) {
    const seeds = await seed(admin, fuzzer, { name: `fuzz${round}`, receiverUrl });
    heading(`round ${round + 1}`);
    const config = configOf(description, seeds, round);
    const known = knownPaths(description, seeds, protectedIds);
    const finished = runRound(program, { ...fuzzer.api, config, known, seed: Number(flags.seed) + round });
    const ended = await Promise.race([finished, died]);
    if (typeof ended === "string") throw new Error(ended);
    clean &&= ended;
    const lines = await readLines(metricsUrl);
    writeFileSync(join(reportDir, "answers.json"), JSON.stringify(lines));
    counts = summed(lines);
  }
  const { requests, operations, succeeded, classes, failed } = counts;
  for (const line of failed) console.log(line);
  const answers = Object.entries(classes).map(([name, count]) => `${count} ${name}`);
  console.log(
    `\n${requests} requests to ${operations} operations, ${succeeded} of which succeeded at least once: ${answers.join(", ")}`,
  );
  return clean && failed.length === 0 ? 0 : 1;
};

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
await runCommand(fuzz);
