// `npm run bench -- growth`: what happens as data, clients, followers, webhooks and runners grow. Writes bench/growth.md. A
// second argument makes the largest data smaller: `growth 0.01` for a quick look.
import { writeFileSync } from "node:fs";
import { run } from "../deploy/local/provision/machine.mjs";
import { machine } from "./all/results.mjs";
import { startWorld } from "./all/world.mjs";
import { growClients } from "./growth/clients.mjs";
import { growData } from "./growth/data.mjs";
import { growFollowers } from "./growth/followers.mjs";
import { growRunners } from "./growth/runners.mjs";
import { growWebhooks } from "./growth/webhooks.mjs";

/**
 * One dimension that grows, and the measurements at each size.
 * @typedef {{ title: string, about: string, columns: string[], rows: (string | number)[][] }} Table
 * @typedef {import("./all/world.mjs").World} World
 */

const page = new URL("growth.md", import.meta.url);

const number = (/** @type {number} */ value) =>
  value.toLocaleString("en", { maximumFractionDigits: value < 10 ? 2 : value < 100 ? 1 : 0 });

const cell = (/** @type {string | number} */ value) => (typeof value === "number" ? number(value) : value);

const line = (/** @type {(string | number)[]} */ cells) => `| ${cells.map(cell).join(" | ")} |`;

/** @param {Table} table */
const rendered = ({ title, about, columns, rows }) =>
  [`## ${title}`, "", about, "", line(columns), line(columns.map(() => "---")), ...rows.map(line), ""].join("\n");

const settings = {
  ...{ RUNNER_DRIVERS: "os", DRIVERS: "os,docker,qemu", RUNNER_BUILDS: "4" },
  ...{ STREAMS_PER_USER: "0", WEBHOOKS_PER_USER: "0" },
};

/** @param {number} share of the largest data */
export const growth = async (share) => {
  /** @type {Table[]} */
  const tables = [];
  const add = (/** @type {Table} */ table) => {
    tables.push(table);
    console.log(`\n${rendered(table)}`);
  };
  const world = await startWorld(settings);
  try {
    for (const grow of [growClients, growFollowers, growWebhooks, growRunners]) add(await grow(world));
  } finally {
    await world.stop();
  }
  add(await growData(share));
  const commit = (await run("git", ["rev-parse", "--short", "HEAD"])).stdout.trim();
  const date = new Date().toISOString().slice(0, 10);
  const head = `# Results of \`npm run bench -- growth\`

Generated, do not edit. Measured on ${date} at commit ${commit}, on ${await machine()}: one process of each service, with MongoDB, NATS
and the clients on the same machine.
`;
  writeFileSync(page, [head, ...tables.map(rendered)].join("\n"));
};
