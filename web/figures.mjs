// `npm run figures`: measures the web page in Chromium, on a system that it starts itself, and writes web/figures.md.
//   --minutes 10   how long a tab follows an endless output
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { machine } from "../bench/all/results.mjs";
import { findBrowser } from "../deploy/local/provision/browser.mjs";
import { repoRoot } from "../deploy/local/provision/machine.mjs";
import { allLines, finishedBuild, firstLines, newcomer } from "./figures/first.mjs";
import { following } from "./figures/following.mjs";
import { rendered } from "./figures/report.mjs";
import { startLikeNewcomer } from "./figures/started.mjs";

const { values: flags } = parseArgs({ options: { minutes: { type: "string", default: "10" } } });
const minutes = Number(flags.minutes);
if (!(minutes >= 1)) throw new Error(`--minutes must be a number from 1, not "${flags.minutes}"`);
// process.exit also ends the local servers.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
const found = await findBrowser();
if ("reason" in found) throw new Error(found.reason);
const started = await startLikeNewcomer();
let good = false;
try {
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const browser = await chromium.launch({ executablePath: found.path, args });
  const { state, ...first } = await newcomer(browser, started);
  const rows = await firstLines(
    browser,
    state,
    await finishedBuild(started.api, "seq -f 'line %.0f of the output' 10000"),
  );
  const all = await allLines(
    browser,
    state,
    await finishedBuild(started.api, "seq -f 'line %.0f of the output' 100000"),
  );
  const followed = await following(browser, state, started.api, minutes);
  const version = browser.version();
  await browser.close();
  good = followed.every(({ bounded, gaps }) => bounded && gaps === 0);
  const page = rendered({
    ...{ machine: await machine(), browser: version, date: new Date().toISOString().slice(0, 10), minutes },
    ...{ startSeconds: started.startSeconds, first, rows, all, followed },
  });
  console.log(page);
  writeFileSync(join(repoRoot, "web/figures.md"), page);
} finally {
  await started.stop();
}
process.exit(good ? 0 : 1);
