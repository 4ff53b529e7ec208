// The sample build: submitted over REST like any other, watched job by job.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repoRoot } from "../provision/machine.mjs";

/** @typedef {import("./api.mjs").Api} Api */

const namespace = "hello";
const marks = { passed: "✔", passed_with_failures: "✔", failed: "✘", killed: "✘", timed_out: "✘" };

/**
 * The sample manifest for the driver at hand.
 * @param {string} file below examples/
 * @param {{ driver: "docker" | "os", image?: string }} on
 */
export const sampleManifest = (file, { driver, image }) => {
  const text = readFileSync(join(repoRoot, "examples", file), "utf8");
  const block =
    driver === "os" ? "driver:\n  type: os\n" : `driver:\n  type: docker\n  image: ${image}\n  workspace: /build\n`;
  return text.replace(/^driver:\n(?: +.*\n)+/m, block);
};

/**
 * Points the one webhook of the sample's namespace to a receiver.
 * @param {Api} api
 * @param {string} username
 * @param {{ url: string }} receiver
 * @param {string} secret
 */
const addWebhook = async (api, username, receiver, secret) => {
  const path = `/n/${username}/${namespace}`;
  await api.json("GET", path).catch(() => api.json("POST", "/namespaces", { name: namespace }));
  const [webhook] = await api.json("GET", `${path}/-/webhooks`);
  const fields = { payload_url: receiver.url, secret, active: true };
  if (webhook) await api.json("PATCH", webhook.url, fields);
  else await api.json("POST", `${path}/-/webhooks`, fields);
};

/**
 * Prints a job's output as it comes.
 * @param {Api} api
 * @param {any} job
 * @param {string} place
 */
const watchJob = async (api, job, place) => {
  console.log(`\n▶ ${place} ${job.stage} / ${job.name}`);
  const from = Date.now();
  for await (const { event, data } of api.stream(job.output_url)) {
    if (event === "output") process.stdout.write(data.replace(/^(?=.)/gm, "  "));
    if (event === "end") {
      const seconds = ((Date.now() - from) / 1_000).toFixed(1);
      console.log(`${marks[/** @type {keyof typeof marks} */ (data.status)]} ${data.status} (${seconds} s)`);
    }
  }
};

/**
 * Runs examples/hello.yml and prints all there is to see. Answers the finished build and its artifacts.
 * @param {Api} api
 * @param {{ driver: "docker" | "os", image?: string, receiver: { url: string }, secret: string }} on
 */
export const runSample = async (api, on) => {
  const { username } = await api.json("GET", "/user");
  await addWebhook(api, username, on.receiver, on.secret);
  const manifest = `namespace: ${namespace}\n${sampleManifest("hello.yml", on)}`;
  const from = Date.now();
  const submitted = await api.json("POST", "/builds", { manifest, comment: "The first build", tags: ["sample"] });
  console.log(`Submitted examples/hello.yml: ${submitted.url}`);
  const jobs = await api.json("GET", submitted.jobs_url);
  for (const [index, job] of jobs.entries()) await watchJob(api, job, `[${index + 1}/${jobs.length}]`);
  const build = await api.json("GET", submitted.url);
  const artifacts = await api.json("GET", build.artifacts_url);
  return { build, artifacts, seconds: (Date.now() - from) / 1_000 };
};

/**
 * The content of an artifact.
 * @param {Api} api
 * @param {{ url: string }} artifact
 */
export const download = async (api, artifact) =>
  Buffer.from(
    await (await api.ask("GET", artifact.url, undefined, { Accept: "application/octet-stream" })).arrayBuffer(),
  );
