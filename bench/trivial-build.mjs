// How long a build of one trivial job takes, from the POST to its end as a client sees it.
import { spawn } from "node:child_process";
import { ms, of, quartiles } from "./statistics.mjs";

const warmUp = 5;
const rounds = 40;

/** @typedef {import("../deploy/local/api.mjs").Api} Api */

/** @param {string} driver lines of the manifest's driver */
const manifest = (driver) => `driver:\n${driver}\nstages: [only]\njobs: [{stage: only, commands: ["true"]}]\n`;

/**
 * Submits one build and waits for the end of its output stream.
 * @param {Api} api
 * @param {string} text
 */
const buildOnce = async (api, text) => {
  const from = performance.now();
  const { output_url } = await api.json("POST", "/builds", { manifest: text });
  let status = "";
  for await (const { event, data } of api.stream(output_url)) if (event === "end") status = data.status;
  if (status !== "passed") throw new Error(`The build ended as ${status || "unknown"}.`);
  return performance.now() - from;
};

/** The same command in a container without us. @param {string} image */
const bareContainer = async (image) => {
  const from = performance.now();
  const child = spawn("docker", ["run", "--rm", image, "/bin/sh", "-c", "true"], { stdio: "ignore" });
  const code = await new Promise((resolve, reject) => child.once("error", reject).once("exit", resolve));
  if (code !== 0) throw new Error(`docker run ended with ${code}.`);
  return performance.now() - from;
};

/**
 * Measures and prints both drivers; docker beside a bare `docker run --rm` of the same image.
 * @param {Api} api
 * @param {string} [image]
 */
export const trivialBuilds = async (api, image) => {
  const os = manifest("  type: os");
  await of(warmUp, () => buildOnce(api, os));
  const bare = await of(rounds, () => buildOnce(api, os));
  console.log(`\nOne trivial job, from POST to finished (${rounds} builds each)`);
  console.log(`  os driver                ${ms(quartiles(bare))}`);
  if (!image) return;
  const text = manifest(`  type: docker\n  image: ${image}\n  workspace: /build`);
  /** @type {number[]} */
  const ours = [];
  /** @type {number[]} */
  const alone = [];
  for (let round = -warmUp; round < rounds; round++) {
    const [a, b] = [await buildOnce(api, text), await bareContainer(image)];
    if (round < 0) continue;
    ours.push(a);
    alone.push(b);
  }
  const ratios = ours.map((value, index) => value / alone[index]);
  console.log(`  docker driver            ${ms(quartiles(ours))}`);
  console.log(`  bare docker run --rm     ${ms(quartiles(alone))}`);
  console.log(
    `  docker driver / bare     ${quartiles(ratios)
      .map((ratio) => ratio.toFixed(2))
      .join(" .. ")}`,
  );
};
