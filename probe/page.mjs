// Writes and checks docs/isolation.md.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { release } from "node:os";
import { join } from "node:path";
import { repoRoot, run } from "../deploy/local/provision/machine.mjs";
import { placesOf, subjects } from "./probes.mjs";

const file = join(repoRoot, "docs/isolation.md");

/**
 * What was seen, by `keyOf`.
 * @typedef {Map<string, string>} Seen
 * When and on what the probes of a driver ran last.
 * @typedef {Map<import("./probes.mjs").Place, { date: string, host: string }>} Runs
 */

/** @param {string} id @param {import("./probes.mjs").Place} place */
export const keyOf = (id, place) => `${id} ${place}`;

const places = /** @type {import("./probes.mjs").Place[]} */ (["docker", "vm", "os"]);
const placeNames = { docker: "docker", vm: "qemu", os: "os" };

/** @param {import("./probes.mjs").Probe} probe */
const expected = (probe) => {
  if ("script" in probe) return probe.open ? "**Nothing stops it**" : "The attempt fails";
  return "manifest" in probe ? "The API refuses the manifest" : `The build ends as *${probe.ending}*`;
};

/** @param {import("./probes.mjs").Place} place */
const countOf = (place) =>
  subjects.reduce((sum, { probes }) => sum + probes.filter((probe) => placesOf(probe).includes(place)).length, 0);

const introduction = `# What jobs cannot do

\`npm run probe\` makes this page. It starts the whole system and submits ${places.reduce((sum, place) => sum + countOf(place), 0)} builds and jobs that try to escape from their container,
virtual machine or user, or to harm others. Each one runs beside a healthy build, which has to pass and to reach a public address. The
command fails if one attempt succeeds, or fails for another reason than the expected one. [CONTRIBUTING.md](../CONTRIBUTING.md#run-tests)
says how to run it.

The driver *docker* has the settings of an ordinary installation, except for small limits (\`DOCKER_MEMORY\`, \`DOCKER_DISK\`,
\`DOCKER_FILES\`, \`DOCKER_PIDS\`, \`OUTPUT_LIMIT\`), so that the probes end soon. Virtual machines (*qemu*) have \`QEMU_NETWORK=open\`. The runner is
root on the engine's host and has \`JOB_EGRESS=enforce\`: [jobs](operating/jobs.md#network) says what holds elsewhere.

Jobs of the [os driver](operating/os-driver.md) are processes of the runner's machine. If the runner is root, as here, each build has a user of its own. That is a
wall around the files and processes of others, and nothing more. Rows with **Nothing stops it** show what is missing: jobs of this driver reach
every address that the machine reaches, see all processes, and have no limits on memory, processors, processes and disk. If the runner is not root, no row
about this driver holds.`;

/** @param {Runs} runs */
const tableOf = (runs) => {
  const rows = places.map((place) => {
    const { date = "", host = "" } = runs.get(place) ?? {};
    return `| ${placeNames[place]} | ${countOf(place)} | ${date} | ${host} |`;
  });
  return ["| Driver | Probes | Last run | On |", "|---|---|---|---|", ...rows].join("\n");
};

/** @param {string} text */
const cell = (text) => text.replaceAll("|", "\\|");

/** @param {Seen} seen @param {Runs} runs */
export const render = (seen, runs) => {
  const tables = subjects.map(({ title, probes }) => {
    const rows = probes.flatMap((probe) =>
      placesOf(probe).map((place) => {
        const evidence = seen.get(keyOf(probe.id, place));
        const cells = [probe.tries, placeNames[place], expected(probe), `\`${evidence ?? ""}\``].map(cell);
        return `| ${cells.join(" | ")} |`;
      }),
    );
    return [`## ${title}\n`, "| A build | Driver | Expected | Seen |", "|---|---|---|---|", ...rows].join("\n");
  });
  return `${[introduction, tableOf(runs), ...tables].join("\n\n")}\n`;
};

/** Reads what was seen from a page, by driver and what the probe tries. @param {string} page @returns {Seen} */
const seenOn = (page) => {
  const rows = page.split("\n").map((line) => line.split(/(?<!\\)\|/).map((text) => text.trim()));
  const found = new Map(rows.map(([, tries, driver, , seen]) => [`${tries} ${driver}`, seen]));
  const all = subjects.flatMap(({ probes }) =>
    probes.flatMap((probe) =>
      placesOf(probe).map((place) => {
        const text = found.get(`${cell(probe.tries)} ${placeNames[place]}`) ?? "";
        return /** @type {[string, string]} */ ([
          keyOf(probe.id, place),
          text.replaceAll("\\|", "|").replace(/^`|`$/g, ""),
        ]);
      }),
    ),
  );
  return new Map(all);
};

/** Reads when the probes ran from a page. @param {string} page @returns {Runs} */
const runsOn = (page) => {
  const found = places.map((place) => {
    const [, date = "", host = ""] =
      new RegExp(`^\\| ${placeNames[place]} \\| \\d+ \\| (\\d{4}-\\d\\d-\\d\\d) \\| ([^|]+) \\|$`, "m").exec(page) ??
      [];
    return /** @type {const} */ ([place, { date, host }]);
  });
  return new Map(found.filter(([, { date }]) => date !== ""));
};

/** Says how a page differs from one about the existing probes; undefined if it does not. @param {string} page */
export const complaintAbout = (page) => {
  const seen = seenOn(page);
  for (const { probes } of subjects)
    for (const probe of probes)
      for (const place of placesOf(probe)) {
        const text = seen.get(keyOf(probe.id, place)) ?? "";
        const fits = probe.shown === undefined ? probe.sees.test(text) : text === probe.shown;
        if (!fits) return `docs/isolation.md does not say what the probe ${probe.id} (${place}) has seen`;
      }
  const runs = runsOn(page);
  const missing = places.find((place) => !runs.has(place));
  if (missing) return `docs/isolation.md does not say when the probes ran with the driver ${placeNames[missing]}`;
  return page === render(seen, runs) ? undefined : "docs/isolation.md is not what its probes say";
};

/** Checks the committed page without running builds. */
export const checkPage = () => complaintAbout(readFileSync(file, "utf8"));

/** Returns the version of what a driver runs jobs with. @param {import("./probes.mjs").Place} place */
const hostOf = async (place) => {
  const ask = async (/** @type {string} */ command, /** @type {string[]} */ ...args) =>
    (await run(command, args, { timeoutMs: 20_000 })).stdout.trim();
  const kernel = `Linux ${release().split(".").slice(0, 2).join(".")}`;
  if (place === "docker")
    return `Docker Engine ${await ask("docker", "info", "--format", "{{.ServerVersion}}")}, ${kernel}`;
  if (place === "os") return kernel;
  return `QEMU ${/version (\S+)/.exec(await ask("qemu-system-x86_64", "--version"))?.[1]}, ${kernel}`;
};

/**
 * Puts the results of all probes of some drivers into the page. Rows of other drivers stay, and those of failed probes lose
 * what they said.
 * @param {import("./batches.mjs").Result[]} results
 * @param {import("./probes.mjs").Place[]} ran
 */
export const updatePage = async (results, ran) => {
  const page = existsSync(file) ? readFileSync(file, "utf8") : "";
  const [seen, runs] = [seenOn(page), runsOn(page)];
  for (const { probe, place, verdict } of results)
    seen.set(keyOf(probe.id, place), "seen" in verdict ? verdict.seen : "");
  const date = new Date().toISOString().slice(0, 10);
  for (const place of ran) runs.set(place, { date, host: await hostOf(place) });
  writeFileSync(file, render(seen, runs));
};
