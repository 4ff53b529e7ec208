// How much the first page loads, and how soon the reader sees something.
import { waitFor } from "../../deploy/local/provision/machine.mjs";
import { openTab } from "./tab.mjs";

const rounds = 3;
const outageMs = 2_000;

const median = (/** @type {number[]} */ values) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

/** Milliseconds from the beginning of the navigation to the first line of output. @param {import("playwright-core").Page} page */
const firstLine = async (page) => {
  await page.locator(".line").first().waitFor({ state: "attached" });
  return Number(await page.evaluate("performance.now()"));
};

/**
 * Follows the printed link to the output of the sample build, as a newcomer does.
 * @param {import("playwright-core").Browser} browser
 * @param {import("./started.mjs").Started} started
 */
export const newcomer = async (browser, { link }) => {
  const tab = await openTab(browser, {});
  const began = Date.now();
  await tab.page.goto(link);
  await tab.page.waitForURL(/\/builds$/);
  const build = tab.page.locator(".rows .row a").first();
  await build.waitFor();
  const firstPageBytes = tab.receivedBytes();
  await build.click();
  await tab.page.locator(".line").first().waitFor();
  const seconds = (Date.now() - began) / 1_000;
  const state = await tab.context.storageState();
  await tab.close();
  return { firstPageBytes, seconds, clicks: 1, state };
};

/**
 * Submits a build and waits for its end. Returns its address.
 * @param {import("../../deploy/local/start/api.mjs").Api} api @param {string} command
 */
export const finishedBuild = async (api, command) => {
  const build = await api.json("POST", "/builds", { manifest: manifestOf(command) });
  await waitFor(async () => (await api.json("GET", build.url)).finished_at, { withinMs: 120_000 });
  return build.url;
};

export const manifestOf = (/** @type {string} */ command) =>
  `driver:\n  type: os\njobs:\n- name: long\n  commands:\n  - ${JSON.stringify(command)}\n`;

/**
 * Returns milliseconds to the first line of a build with 10,000 lines: on this machine, with a slow connection, and with
 * one that breaks as soon as the page has begun.
 * @param {import("playwright-core").Browser} browser
 * @param {Parameters<typeof openTab>[1]["state"]} state
 * @param {string} url
 */
export const firstLines = async (browser, state, url) => {
  const measure = async (/** @type {boolean} */ slow, /** @type {boolean} */ broken) => {
    /** @type {number[]} */
    const times = [];
    for (let round = 0; round < rounds; round++) {
      const tab = await openTab(browser, { state, slow });
      await tab.page.goto(url, { waitUntil: "domcontentloaded" });
      if (broken) await tab.breakFor(outageMs);
      times.push(await firstLine(tab.page));
      await tab.close();
    }
    return median(times);
  };
  return { direct: await measure(false, false), slow: await measure(true, false), broken: await measure(true, true) };
};

/**
 * Shows all lines of a long output, and scrolls to both ends. Returns how long it took, and the longest task that kept
 * the page from answering.
 * @param {import("playwright-core").Browser} browser
 * @param {Parameters<typeof openTab>[1]["state"]} state
 * @param {string} url
 */
export const allLines = async (browser, state, url) => {
  const tab = await openTab(browser, { state });
  await tab.page.addInitScript(`globalThis.longestTask = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) globalThis.longestTask = Math.max(globalThis.longestTask, duration);
    }).observe({ type: "longtask" });`);
  await tab.page.goto(url);
  const beginning = tab.page.getByRole("button", { name: "From the beginning" });
  await beginning.waitFor();
  const began = Date.now();
  await beginning.click();
  // A locator would search the whole page each time, which takes longer than what is measured.
  const count = () => tab.page.evaluate("document.querySelector('.toolbar > .quiet').textContent");
  await waitFor(async () => /^10000\d lines$/.test(String(await count())), { withinMs: 120_000 });
  const ms = Date.now() - began;
  for (const key of ["End", "Home", "End"]) await tab.page.keyboard.press(key);
  const longestMs = Number(await tab.page.evaluate("globalThis.longestTask"));
  await tab.close();
  return { ms, longestMs };
};
