// Runs the sample build and shows its output, its webhook and its artifacts.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { repoRoot } from "../provision/machine.mjs";
import { download, runSample } from "./sample.mjs";
import { webhookOutcome } from "./sample-receiver.mjs";

/** How long the webhook may take after the build. */
const webhookMs = 30_000;

/**
 * Downloads the sample's artifacts and prints the result.
 * @param {Awaited<ReturnType<typeof runSample>>} sample
 * @param {import("./api.mjs").Api} api
 * @returns {Promise<boolean>} whether the build passed and every artifact matches its hash
 */
const report = async ({ build, artifacts, seconds }, api) => {
  let good = build.status === "passed";
  for (const artifact of artifacts.filter((/** @type {{ size: number | null }} */ { size }) => size !== null)) {
    const content = await download(api, artifact);
    const matches = createHash("sha256").update(content).digest("hex") === artifact.sha256;
    console.log(
      `Artifact ${artifact.name}: downloaded ${artifact.size} bytes, hash ${matches ? "matches" : "DIFFERS"}`,
    );
    good &&= matches;
  }
  console.log(`\nBuild #${build.number} ${build.status} in ${seconds.toFixed(1)} s: ${build.url}`);
  return good;
};

/**
 * Runs the sample build. Prints one sentence if it fails.
 * @param {import("./api.mjs").Api} api
 * @param {{ driver: "docker" | "os", image?: string, secret: string,
 *   receiver: import("./sample-receiver.mjs").Receiver }} on
 * @returns {Promise<{ good: boolean, build?: any }>}
 */
export const firstBuild = async (api, on) => {
  try {
    const sample = await runSample(api, on);
    const webhook = await webhookOutcome(on.receiver, sample.build, webhookMs);
    console.log(`\nWebhook: ${webhook.line}`);
    const good = await report(sample, api);
    return { good: good && !webhook.failed, build: sample.build };
  } catch (error) {
    console.log(`\nThe sample build failed: ${/** @type {Error} */ (error).message}`);
    return { good: false };
  }
};

/**
 * Returns the address of a page that signs a browser in, once.
 * @param {import("./api.mjs").Api} api
 */
export const signInLink = async (api) => /** @type {string} */ ((await api.json("POST", "/user/sign-in-links")).url);

/**
 * Returns the address, the token and commands to try.
 * @param {import("./options.mjs").Options} options
 * @param {{ adminToken: string, signIn: string, driver?: string, image?: string, build?: any }} on
 */
export const welcome = ({ url, ownUrl }, { adminToken, signIn, driver, image, build }) => {
  const block = driver === "docker" ? `type: docker, image: "${image}", workspace: /build` : `type: ${driver}`;
  const manifest = `{driver: {${block}}, jobs: [{stage: test, commands: [echo hello]}]}`;
  return [
    `\nThe API is at ${url}${url === ownUrl ? "" : `, once your proxy forwards it to ${ownUrl}`}`,
    `To sign in as the administrator, open this link within ten minutes. It works once:\n  ${signIn}`,
    "On the command line, try:",
    `  ci() { node '${join(repoRoot, "cli/dist/main.js")}' "$@"; }`,
    `  ci login ${ownUrl} --token ${adminToken}`,
    "  ci list",
    ...(build ? [`  ci logs ${build.number}`] : []),
    ...(driver ? [`  echo '${manifest}' | ci submit - --follow`] : []),
  ].join("\n");
};
