// Writes docs/operating/settings.md and limits.md from each service's config.ts: `npm run settings`, after a build.
// With `--check`, it only reports whether the pages are up to date.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { services } from "../../deploy/local/start/service-keys.mjs";
import { elsewhere } from "./elsewhere.mjs";
import { limitsPage } from "./limits.mjs";

const root = join(import.meta.dirname, "../..");
const require = createRequire(import.meta.url);
const { settingsReadFrom } = require(join(root, "libs/kit/dist/process/config.js"));

/** Makes every config.ts read all of its settings, also those that depend on others. */
const all = { TLS_CERT: "a", TLS_KEY: "b", TLS_CA: "c", DOCKER_TLS_VERIFY: "1", RUNNER_DRIVERS: "docker,qemu" };

/**
 * @typedef {{ name: string, about: string, required: boolean, fallback?: string, refusal?: string }} Setting
 * @typedef {Map<string, Setting>} Read
 */

/** Defaults that differ from machine to machine. @type {Record<string, string>} */
const here = {
  DOCKER_CERT_PATH: "none",
  RUNNER_DIR: "in the system's temporary folder",
  RUNNER_IMAGES_DIR: "`.images` in `RUNNER_DIR`",
  RUNNER_NAME: "`SUBJECT_PREFIX` and the host's name",
  RUNNER_ID: "the name and a random number",
};

/**
 * Returns the settings of one service by name, each name once.
 * @param {string} service
 * @returns {Read}
 */
function settingsOf(service) {
  const env = { ...all };
  const { readConfig } = require(join(root, "services", service, "dist/config.js"));
  try {
    readConfig(env);
  } catch {
    // Required settings are missing here.
  }
  const settings = /** @type {Setting[]} */ ([...settingsReadFrom(env)]);
  return new Map(settings.reverse().map((setting) => [setting.name, setting]));
}

const defaultOf = (/** @type {Setting} */ { name, required, fallback }) => {
  if (here[name]) return here[name];
  if (required) return "required";
  return fallback ? `\`${fallback}\`` : "none";
};

const table = (/** @type {string[]} */ heads, /** @type {string[][]} */ rows) =>
  [heads, heads.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");

/** Renders the page. @param {Map<string, Read>} read the settings of each service */
function pageOf(read) {
  const by = (/** @type {string} */ service) => /** @type {Read} */ (read.get(service));
  const readers = (/** @type {string} */ name) => services.filter((service) => by(service).has(name));
  const names = [...new Set(services.flatMap((service) => [...by(service).keys()]))].sort();
  const shared = names.filter((name) => readers(name).length > 1);
  const of = (/** @type {string} */ name) => readers(name).flatMap((service) => by(service).get(name) ?? []);
  const defaults = (/** @type {string} */ name) => [...new Set(of(name).map(defaultOf))].join(", ");
  const readBy = (/** @type {string} */ name) =>
    readers(name).length === services.length ? "all" : readers(name).join(", ");
  const own = services.flatMap((service) => {
    const rows = names.filter((name) => readers(name).join() === service);
    if (rows.length === 0) return [];
    const cells = rows.map((name) => [`\`${name}\``, defaults(name), of(name)[0].about]);
    return [`## ${service}\n\n${table(["Setting", "Default", "Meaning"], cells)}`];
  });
  const others = elsewhere.map(({ title, intro, rows }) => {
    const cells = rows.map(([name, fallback, about]) => [`\`${name}\``, fallback, about]);
    return `## ${title}\n\n${intro}\n\n${table(["Variable", "Default", "Meaning"], cells)}`;
  });
  const sharedRows = shared.map((name) => [`\`${name}\``, readBy(name), defaults(name), of(name)[0].about]);
  return `${[
    "# Settings",
    `Every environment variable. \`npm run settings\` generates this page from each service's \`config.ts\`: do not edit it.
[Configuration](configuration.md) has the settings that most installations set.

Times are written \`250ms\`, \`15s\`, \`5min\`, \`2h\`, \`30d\`, sizes \`64KiB\`, \`5MiB\`, \`1GiB\`. An empty value counts as unset.
If any value is invalid, the service exits at startup and lists every mistake. A process reads its settings once, when it starts.`,
    `## Several services\n\n${table(["Setting", "Read by", "Default", "Meaning"], sharedRows)}`,
    ...own,
    ...others,
  ].join("\n\n")}\n`;
}

const read = new Map(services.map((service) => [service, settingsOf(service)]));
const bySetting = (/** @type {Setting} */ a, /** @type {Setting} */ b) => (a.name < b.name ? -1 : 1);
const pages = {
  "settings.md": pageOf(read),
  "limits.md": limitsPage([...read].map(([service, by]) => ({ service, settings: [...by.values()].sort(bySetting) }))),
};

for (const [name, made] of Object.entries(pages)) {
  const page = join(import.meta.dirname, name);
  if (!process.argv.includes("--check")) writeFileSync(page, made);
  else if (!existsSync(page) || readFileSync(page, "utf8") !== made) {
    console.error(`docs/operating/${name} is out of date. Run: npm run build && npm run settings`);
    process.exitCode = 1;
  }
}
