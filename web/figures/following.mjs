// What a tab holds while it follows an output that does not end.
import { waitFor } from "../../deploy/local/provision/machine.mjs";
import { manifestOf } from "./first.mjs";
import { openTab } from "./tab.mjs";

/** More lines than the page holds must arrive within a minute. */
const command =
  'n=0; while :; do seq -f "line %.0f: tests/example passed" $((n+1)) $((n+500)); n=$((n+500)); sleep 0.2; done 2>&1';
const everyMs = 30_000;
const outageMs = 5_000;
/** What the page holds may grow by this share, or by what garbage collection leaves over, after the first half. */
const tolerance = 1.25;
const spare = { heapBytes: 4e6, nodes: 0 };

/** @typedef {{ seconds: number, heapBytes: number, nodes: number, lines: number, last: number }} Sample */

/** Returns how many lines the page shows, the last one, and whether any is missing between them. @param {import("playwright-core").Page} page */
const shown = async (page) => {
  const texts = /** @type {string[]} */ (
    await page.evaluate("[...document.querySelectorAll('.line')].map((line) => line.textContent)")
  );
  const numbers = texts.flatMap((text) => /line (\d+): /.exec(text)?.[1] ?? []).map(Number);
  const gaps = numbers.filter((number, at) => at > 0 && number !== (numbers[at - 1] ?? 0) + 1).length;
  return { lines: numbers.length, last: numbers.at(-1) ?? 0, gaps };
};

/** Reports whether what the page holds has stopped growing. @param {Sample[]} samples */
const isBounded = (samples) => {
  const half = Math.floor(samples.length / 2);
  const most = (/** @type {Sample[]} */ some, /** @type {"heapBytes" | "nodes"} */ what) =>
    Math.max(...some.map((sample) => sample[what]));
  const full = samples.slice(0, half + 1);
  return /** @type {const} */ (["heapBytes", "nodes"]).every(
    (what) =>
      most(samples.slice(half + 1), what) <= Math.max(tolerance * most(full, what), most(full, what) + spare[what]),
  );
};

/**
 * Follows one build in several tabs for some minutes.
 * @param {import("playwright-core").Browser} browser
 * @param {Parameters<typeof openTab>[1]["state"]} state
 * @param {import("../../deploy/local/start/api.mjs").Api} api
 * @param {number} minutes
 */
export const following = async (browser, state, api, minutes) => {
  const build = await api.json("POST", "/builds", { manifest: manifestOf(command) });
  await waitFor(async () => (await api.json("GET", build.url)).status === "running", { withinMs: 60_000 });
  const kinds = [
    { name: "direct", slow: false, breaks: false },
    { name: "slow", slow: true, breaks: false },
    { name: "broken", slow: false, breaks: true },
  ];
  const followed = await Promise.all(
    kinds.map(async ({ name, slow, breaks }) => {
      const tab = await openTab(browser, { state, slow });
      await tab.page.goto(`${build.url}#long`);
      return { name, tab, breaks, samples: /** @type {Sample[]} */ ([]), gaps: 0 };
    }),
  );
  const began = Date.now();
  const rounds = Math.round((minutes * 60_000) / everyMs);
  for (let round = 1; round <= rounds; round++) {
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, began + round * everyMs - Date.now())));
    for (const one of followed) {
      const [memory, { gaps, ...lines }] = [await one.tab.memory(), await shown(one.tab.page)];
      one.samples.push({ seconds: Math.round((Date.now() - began) / 1_000), ...memory, ...lines });
      one.gaps = Math.max(one.gaps, gaps);
      const { seconds, heapBytes, nodes } = /** @type {Sample} */ (one.samples.at(-1));
      console.log(
        `${one.name}: ${seconds} s, ${(heapBytes / 1e6).toFixed(1)} MB, ${nodes} nodes, ${lines.lines} lines up to ${lines.last}`,
      );
      if (one.breaks && round === Math.ceil(rounds / 2)) await one.tab.breakFor(outageMs);
    }
  }
  for (const { tab } of followed) await tab.close();
  await api.send("DELETE", build.url);
  return followed.map(({ name, samples, gaps }) => ({ name, samples, gaps, bounded: isBounded(samples) }));
};
