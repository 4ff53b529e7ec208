// Measures a build of one trivial job: from just before the POST to its finished_at, and to the moment when a client
// that follows the output sees the end.
import { spawn } from "node:child_process";
import { ms, of, quartiles } from "./statistics.mjs";

/** Builds that are not counted, while V8 compiles code. */
const warmUp = 60;
const rounds = 60;

/** @typedef {import("../deploy/local/start/api.mjs").Api} Api */

/** @param {string} driver lines of the manifest's driver */
export const manifest = (driver) => `driver:\n${driver}\nstages: [only]\njobs: [{stage: only, commands: ["true"]}]\n`;

/**
 * Submits one build and waits for the end of its output stream.
 * @param {Api} api
 * @param {string} text
 * @returns {Promise<{ finished: number, seen: number }>} milliseconds
 */
const buildOnce = async (api, text) => {
  const [from, clock] = [performance.now(), Date.now()];
  const { url, output_url } = await api.json("POST", "/builds", { manifest: text });
  let status = "";
  for await (const { event, data } of api.stream(output_url)) if (event === "end") status = data.status;
  const seen = performance.now() - from;
  if (status !== "passed") throw new Error(`The build ended as ${status || "unknown"}.`);
  const { finished_at } = await api.json("GET", url);
  return { finished: Date.parse(finished_at) - clock, seen };
};

/** Runs the same command in a container without Service CI. @param {string} image */
const bareContainer = async (image) => {
  const from = performance.now();
  const child = spawn("docker", ["run", "--rm", image, "/bin/sh", "-c", "true"], { stdio: "ignore" });
  const code = await new Promise((resolve, reject) => child.once("error", reject).once("exit", resolve));
  if (code !== 0) throw new Error(`docker run ended with ${code}.`);
  return performance.now() - from;
};

/**
 * Measures and prints both drivers; docker is compared with a bare `docker run --rm` of the same image.
 * @param {Api} api
 * @param {string} [image]
 */
export const trivialBuilds = async (api, image) => {
  const os = manifest("  type: os");
  await of(warmUp, () => buildOnce(api, os));
  const plain = await of(rounds, () => buildOnce(api, os));
  console.log(`\nOne trivial job, from POST to finished (${rounds} builds each)`);
  console.log(`  os driver                ${ms(quartiles(plain.map(({ finished }) => finished)))}`);
  console.log(`  os driver, end seen      ${ms(quartiles(plain.map(({ seen }) => seen)))}`);
  if (!image) return;
  const text = manifest(`  type: docker\n  image: ${image}\n  workspace: /build`);
  /** @type {number[]} */
  const ours = [];
  /** @type {number[]} */
  const bare = [];
  for (let round = -5; round < rounds; round++) {
    const [a, b] = [await buildOnce(api, text), await bareContainer(image)];
    if (round < 0) continue;
    ours.push(a.seen);
    bare.push(b);
  }
  const ratios = ours.map((value, index) => value / bare[index]);
  console.log(`  docker driver, end seen  ${ms(quartiles(ours))}`);
  console.log(`  bare docker run --rm     ${ms(quartiles(bare))}`);
  console.log(
    `  docker driver / bare     ${quartiles(ratios)
      .map((ratio) => ratio.toFixed(2))
      .join(" .. ")}`,
  );
};
