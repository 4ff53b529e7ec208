// Submits the sample build over REST and follows it job by job.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { repoRoot, waitFor } from "../provision/machine.mjs";
import { isReceiver } from "./sample-receiver.mjs";

/** @typedef {import("./api.mjs").Api} Api */

const namespace = "hello";
const marks = { passed: "✔", passed_with_failures: "✔", failed: "✘", killed: "✘", timed_out: "✘" };

/**
 * Returns an example's manifest with another driver.
 * @param {string} file below examples/
 * @param {{ driver: "docker" | "os", image?: string }} on
 */
const sampleManifest = (file, { driver, image }) => {
  const text = readFileSync(join(repoRoot, "examples", file), "utf8");
  const block =
    driver === "os" ? "driver:\n  type: os\n" : `driver:\n  type: docker\n  image: ${image}\n  workspace: /build\n`;
  return text.replace(/^driver:\n(?: +.*\n)+/m, block);
};

/**
 * Points the sample's webhook to a receiver. Other webhooks of the namespace stay unchanged.
 * @param {Api} api
 * @param {string} username
 * @param {{ url: string }} receiver
 * @param {string} secret
 */
const addWebhook = async (api, username, receiver, secret) => {
  const path = `/n/${username}/${namespace}`;
  await api.json("GET", path).catch((error) => {
    if (error.status !== 404) throw error;
    return api.json("POST", "/namespaces", { name: namespace });
  });
  const webhooks = await api.json("GET", `${path}/-/webhooks`);
  const webhook = webhooks.find((/** @type {{ payload_url: string }} */ { payload_url }) => isReceiver(payload_url));
  const fields = { payload_url: receiver.url, secret, active: true };
  if (webhook) await api.json("PATCH", webhook.url, fields);
  else await api.json("POST", `${path}/-/webhooks`, fields);
};

/** How long the sample may stay queued. */
const maxQueuedMs = 60_000;
/** After this long in the queue, the user is told why. */
const quietMs = 3_000;
const maxBuildMs = 10 * 60_000;

/**
 * Waits until a runner claims the build. Prints what the build waits for.
 * @param {Api} api
 * @param {string} url the build's
 * @throws {Error} with one sentence if that takes too long
 */
const leaveQueue = async (api, url) => {
  const from = Date.now();
  let [printed, why] = ["", ""];
  const claimed = await waitFor(
    async () => {
      const { status, queue } = await api.json("GET", url);
      why = queue ? `position ${queue.position}, ${queue.reason ?? "no reason known"}` : "";
      if (status !== "queued") return true;
      if (why !== printed && Date.now() - from > quietMs) {
        console.log(`Waiting in the queue: ${why}`);
        printed = why;
      }
      return false;
    },
    { withinMs: maxQueuedMs, everyMs: 100 },
  );
  if (!claimed) throw new Error(`No runner claimed the sample build within ${maxQueuedMs / 1_000} s (${why}): ${url}`);
};

/**
 * Prints a job's output as it arrives.
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

/** @param {Api} api @param {{ url: string, jobs_url: string }} build */
const watch = async (api, build) => {
  await leaveQueue(api, build.url);
  const jobs = await api.json("GET", build.jobs_url);
  for (const [index, job] of jobs.entries()) await watchJob(api, job, `[${index + 1}/${jobs.length}]`);
};

/** Rejects after a while. @param {string} url @param {AbortSignal} signal */
const tooLong = async (url, signal) => {
  await pause(maxBuildMs, undefined, { signal });
  throw new Error(`The sample build did not end within ${maxBuildMs / 60_000} min: ${url}`);
};

/**
 * Runs examples/hello.yml and prints its output. Returns the finished build and its artifacts.
 * @param {Api} api
 * @param {{ driver: "docker" | "os", image?: string, receiver: { url: string }, secret: string }} on
 * @throws {Error} with one sentence if the build does not start or end in time
 */
export const runSample = async (api, on) => {
  const { username } = await api.json("GET", "/user");
  await addWebhook(api, username, on.receiver, on.secret);
  const manifest = `namespace: ${namespace}\n${sampleManifest("hello.yml", on)}`;
  const from = Date.now();
  const submitted = await api.json("POST", "/builds", { manifest, comment: "The first build", tags: ["sample"] });
  console.log(`Submitted examples/hello.yml: ${submitted.url}`);
  const over = new AbortController();
  await Promise.race([watch(api, submitted), tooLong(submitted.url, over.signal)]).finally(() => over.abort());
  const build = await api.json("GET", submitted.url);
  const artifacts = await api.json("GET", build.artifacts_url);
  return { build, artifacts, seconds: (Date.now() - from) / 1_000 };
};

/**
 * Returns the content of an artifact.
 * @param {Api} api
 * @param {{ url: string }} artifact
 */
export const download = async (api, artifact) =>
  Buffer.from(
    await (await api.send("GET", artifact.url, undefined, { Accept: "application/octet-stream" })).arrayBuffer(),
  );
