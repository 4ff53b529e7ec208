// Writes and checks docs/isolation.md.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repoRoot } from "../deploy/local/provision/machine.mjs";
import { placesOf, subjects } from "./probes.mjs";

const file = join(repoRoot, "docs/isolation.md");

/** What was seen, by `keyOf`. @typedef {Map<string, string>} Seen */

/** @param {string} id @param {import("./probes.mjs").Place} place */
export const keyOf = (id, place) => `${id} ${place}`;

const placeNames = { docker: "docker", vm: "qemu" };

/** @param {import("./probes.mjs").Probe} probe */
const expected = (probe) => {
  if ("script" in probe) return "The attempt fails";
  return "manifest" in probe ? "The API refuses the manifest" : `The build ends as *${probe.ending}*`;
};

const count = subjects.reduce((sum, { probes }) => sum + probes.flatMap(placesOf).length, 0);

const introduction = `# What jobs cannot do

\`npm run probe\` makes this page. It starts the whole system and submits ${count} builds and jobs that try to escape from their container
or virtual machine, or to harm others. Each one runs beside a healthy build, which has to pass and to reach a public address. The command
fails if one attempt succeeds, or fails for another reason than the expected one. [CONTRIBUTING.md](../CONTRIBUTING.md#run-tests) says how to run it.

The driver *docker* has the settings of an ordinary installation, except for small limits (\`DOCKER_MEMORY\`, \`DOCKER_DISK\`,
\`DOCKER_PIDS\`, \`OUTPUT_LIMIT\`), so that the probes end soon. Virtual machines (*qemu*) have \`QEMU_NETWORK=open\`. The runner is root on the engine's host
and has \`JOB_EGRESS=enforce\`: [jobs](operating/jobs.md#network) says what holds elsewhere. Jobs of the [os driver](operating/os-driver.md)
are not separated from their machine.`;

/** @param {string} text */
const cell = (text) => text.replaceAll("|", "\\|");

/** @param {Seen} seen */
export const render = (seen) => {
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
  return `${[introduction, ...tables].join("\n\n")}\n`;
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
  return page === render(seen) ? undefined : "docs/isolation.md is not what its probes say";
};

/** Checks the committed page without running builds. */
export const checkPage = () => complaintAbout(readFileSync(file, "utf8"));

/**
 * Puts results into the page. Rows of other probes stay, and those of failed ones lose what they said.
 * @param {Map<string, string | undefined>} results by `keyOf`
 */
export const updatePage = (results) => {
  const seen = seenOn(existsSync(file) ? readFileSync(file, "utf8") : "");
  for (const [key, evidence] of results) seen.set(key, evidence ?? "");
  writeFileSync(file, render(seen));
};
