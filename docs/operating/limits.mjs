// Renders docs/operating/limits.md: the settings that are limits, and the limits in the code that no setting changes.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { parse } from "yaml";
import { overloadSection } from "./overload.mjs";

const root = join(import.meta.dirname, "../..");
const require = createRequire(import.meta.url);
const { fixedLimits } = require(join(root, "libs/kit/dist/process/fixed-limit.js"));

/**
 * @typedef {{ name: string, about: string, fallback?: string, refusal?: string, effect?: string }} Setting
 * @typedef {{ max: number, about: string, unit?: "bytes" | "ms", refusal?: string, effect?: string }} FixedLimit
 */

const intro = `Every limit, the setting that changes it, and what happens beyond it. \`npm run settings\` generates this page from the code that
enforces the limits: do not edit it. In messages, N stands for the value, and M for another number or name.

- 0 turns off a limit on stored records or bytes. Such a limit applies to what is stored now: each deletion frees exactly what it deletes.
- Records in a namespace count for the namespace's owner, even if a collaborator creates them. Repositories count for the member who adds
  them, artifacts for the user who submitted the build.
- Concurrent requests, even to different replicas, cannot exceed a limit on stored data. If a process dies while it stores a record, the
  record may count for one more minute.
- Lowering a limit deletes nothing. New records are refused until enough is deleted.
- Limits without a setting are constants: they protect the processes, and no installation needs other values.`;

/**
 * Returns the limits without a setting that a folder declares. Nothing else may have loaded its files before.
 * @param {string} folder
 * @returns {FixedLimit[]}
 */
function declaredIn(folder) {
  const before = fixedLimits().length;
  for (const file of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).sort()) {
    const path = join(root, folder, file);
    // The output of a source file that has been renamed stays where it was.
    const hasSource = existsSync(join(root, folder, "../src", file.replace(/\.js$/, ".ts")));
    if (file.endsWith(".js") && hasSource && readFileSync(path, "utf8").includes(".fixedLimit)(")) require(path);
  }
  return fixedLimits().slice(before);
}

const shared = [...declaredIn("libs/kit/dist"), ...declaredIn("libs/access/dist")];
const own = new Map(
  readdirSync(join(root, "services")).map((service) => [service, declaredIn(`services/${service}/dist`)]),
);
/** Limits of `ci run` itself, without those of the services whose code it uses. */
const ofRuns = declaredIn("local-run/dist");

const bytesOf = { GiB: 1024 ** 3, MiB: 1024 ** 2, KiB: 1024 };
const msOf = { min: 60_000, s: 1_000 };

/** Writes a value as settings are written. @param {FixedLimit} limit */
function shown({ max, unit }) {
  const units = unit === "bytes" ? bytesOf : unit === "ms" ? msOf : {};
  const [name, size] = Object.entries(units).find(([, size]) => max % size === 0) ?? [unit === "ms" ? "ms" : "", 1];
  return `${max / size}${name}`;
}

const beyond = (/** @type {Pick<Setting, "refusal" | "effect">} */ { refusal, effect }) =>
  [refusal && `\`${refusal.replaceAll("|", "\\|")}\``, effect].filter(Boolean).join("; ");

/** @param {Setting[]} settings @param {FixedLimit[]} fixed */
function tableOf(settings, fixed) {
  const rows = [
    ...settings.map((one) => [one.about, `\`${one.fallback}\``, `\`${one.name}\``, beyond(one)]),
    ...fixed.map((one) => [one.about, `\`${shown(one)}\``, "", beyond(one)]),
  ];
  const heads = [
    ["Limit", "Value", "Setting", "Beyond it"],
    ["---", "---", "---", "---"],
  ];
  return [...heads, ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

const chart = parse(readFileSync(join(root, "deploy/helm/service-ci/values.yaml"), "utf8"));
/** Three semi-spaces of 8 MiB. */
const youngBytes = 24 * bytesOf.MiB;

/** Says what all clients together can make a gateway hold. @param {Setting[]} settings */
function memoryOfGateway(settings) {
  const limits = own.get("gateway") ?? [];
  /** @template T @param {string} what @param {T | undefined} found @returns {T} */
  const known = (what, found) => {
    if (found === undefined) throw new Error(`limits.mjs finds no limit of a gateway that is called "${what}"`);
    return found;
  };
  const fixed = (/** @type {string} */ about) => known(about, limits.find((one) => one.about.startsWith(about))?.max);
  const setting = (/** @type {string} */ name) =>
    Number.parseInt(known(name, settings.find((one) => one.name === name)?.fallback), 10);
  const { memory } = chart.gateway.resources.limits;
  const limit = Number(known(memory, /^(\d+)Mi$/.exec(memory)?.[1])) * bytesOf.MiB;
  const parts = /** @type {[string, number][]} */ ([
    ["the heap: half of the limit, and new objects", limit / 2 + youngBytes],
    ["arriving hook bodies", setting("HOOK_BODIES") * setting("HOOK_BODY_LIMIT") * bytesOf.MiB],
    [
      "hook bodies that are passed on, and the calls that carry them",
      2 * fixed("hook bodies of more than 64 KiB that"),
    ],
    ["responses that clients have not read", fixed("JSON that a gateway holds for clients that")],
    ["files of forms whose fields may follow", fixed("such content of all forms")],
  ]);
  const rest = parts.reduce((left, [, bytes]) => left - bytes, limit);
  const rows = [...parts, ["left for code, threads and connections", rest], ["The chart's limit", limit]];
  return `## Memory of a gateway

The chart's limit has room for all of this at the same time. JSON bodies of signed-in users come on top, at most \`REQUESTS_AT_ONCE\` times
\`BODY_LIMIT\` for each user. With larger values of \`HOOK_BODIES\` or \`HOOK_BODY_LIMIT\`, raise \`gateway.resources.limits.memory\` by
twice the difference: half of it becomes heap.

| What | MiB |
| --- | --- |
${rows.map(([what, bytes]) => `| ${what} | ${Number(bytes) / bytesOf.MiB} |`).join("\n")}`;
}

/**
 * Returns the page. A limit that several services read is shown once.
 * @param {{ service: string, settings: Setting[] }[]} services
 */
export function limitsPage(services) {
  const shown = new Set();
  const sections = services.map(({ service, settings }) => {
    const limits = settings.filter(({ name, refusal, effect }) => (refusal || effect) && !shown.has(name));
    for (const { name } of limits) shown.add(name);
    return `## ${service}\n\n${tableOf(limits, own.get(service) ?? [])}`;
  });
  const gateway = memoryOfGateway(services.find(({ service }) => service === "gateway")?.settings ?? []);
  const local = `## The command line: ci run\n\n${tableOf([], ofRuns)}`;
  const all = `## Several services\n\n${tableOf([], shared)}`;
  return `${["# Limits", intro, all, ...sections, local, gateway, overloadSection()].join("\n\n")}\n`;
}
