// `npm run probe`: builds that try to escape or to harm others. Writes docs/isolation.md, and fails if a probe fails.
//   --on docker    only this driver (docker, vm or os); other rows of the page stay
//   --only ID,ID   only these probes; the page stays as it is
//   --control      takes the walls away and reports which attempts then succeed, as they must
//   --check        reports whether the page lists the existing probes; runs nothing
import { parseArgs } from "node:util";
import { build } from "../deploy/local/provision/build.mjs";
import { install } from "../deploy/local/provision/install.mjs";
import { runCommand, stopAll } from "../deploy/local/start/cleanup.mjs";
import { batchesOf, runBatches } from "./batches.mjs";
import { control } from "./control.mjs";
import { checkPage, updatePage } from "./page.mjs";
import { startWorld } from "./world.mjs";

const { values: flags } = parseArgs({
  options: {
    on: { type: "string" },
    only: { type: "string" },
    control: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
  },
});

/** How many builds run at the same time, beside a healthy one. */
const atOnce = { docker: 6, vm: 3, os: 6 };

const check = () => {
  const complaint = checkPage();
  if (complaint) console.error(`${complaint}: run \`npm run probe\``);
  return complaint ? 1 : 0;
};

/** @param {import("./batches.mjs").Result[]} results */
const report = (results) => {
  const failed = results.filter(({ verdict }) => "complaint" in verdict);
  for (const { probe, place, verdict } of failed)
    console.error(`\nFAILED ${probe.id} (${place}): ${probe.tries}\n${"complaint" in verdict && verdict.complaint}`);
  console.log(`\n${results.length} probes, ${failed.length} failed`);
  return failed.length === 0;
};

const probe = async () => {
  const places = /** @type {import("./probes.mjs").Place[]} */ (flags.on?.split(",") ?? ["docker", "vm", "os"]);
  const only = flags.only?.split(",");
  await install();
  await build();
  if (flags.control) return control(only);
  const [ofOs, others] = [places.filter((place) => place === "os"), places.filter((place) => place !== "os")];
  const results = [];
  for (const together of [others, ofOs].filter(({ length }) => length > 0)) {
    const world = await startWorld(
      together === ofOs ? ofOs : ["docker", ...others.filter((place) => place !== "docker")],
    );
    for (const place of together) {
      const batches = batchesOf(place, ({ id }) => !only || only.includes(id));
      results.push(...(await runBatches(world, batches, atOnce[place])));
    }
    await stopAll();
  }
  if (!only) await updatePage(results, places);
  return report(results) ? 0 : 1;
};

/** Stopping the system makes the command fail early, which must not cut the stopping short. @type {Promise<void> | undefined} */
let stopping;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  process.on(signal, () => {
    stopping ??= stopAll();
  });
await runCommand(async () => {
  try {
    return flags.check ? check() : await probe();
  } finally {
    await stopping;
  }
});
