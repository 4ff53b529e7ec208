// `npm run screenshots`: takes pictures of the main pages of a running installation, into docs/screenshots.
//   TOKEN=... npm run screenshots [-- URL]      URL: http://127.0.0.1:8080
// It submits a few builds of the os driver first, so use an installation made for it: `RUNNER_DRIVERS=os npm start -- --fresh`.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { findBrowser } from "../deploy/local/provision/browser.mjs";
import { repoRoot, waitFor } from "../deploy/local/provision/machine.mjs";
import { apiAt } from "../deploy/local/start/api.mjs";

const url = process.argv[2] ?? "http://127.0.0.1:8080";
const folder = join(repoRoot, "docs/screenshots");

const manifest = (/** @type {string[]} */ ...commands) => `namespace: shop
driver:
  type: os
stages: [build, test]
jobs:
- stage: build
  name: compile
  commands:
  - echo "compiling 214 files"
- stage: test
  name: unit
  commands:
${commands.map((command) => `  - ${JSON.stringify(command)}`).join("\n")}
  artifacts: [report.txt]
`;

const green = (/** @type {string} */ text) => `printf '\\033[32m✓\\033[0m ${text}\\n'`;
const red = (/** @type {string} */ text) => `printf '\\033[31m✗ ${text}\\033[0m\\n'`;

/** Submits builds in several states. Returns the pages to show. @param {import("../deploy/local/start/api.mjs").Api} api */
const prepare = async (api) => {
  const submit = (/** @type {string} */ comment, /** @type {string[]} */ ...commands) =>
    api.json("POST", "/builds", { manifest: manifest(...commands), comment, tags: ["main"] });
  const passed = await submit("cart: round prices once", green("adds"), green("rounds"), "echo fine > report.txt");
  const failed = await submit("cart: apply coupons", green("adds"), red("applies two coupons"), "exit 1");
  for (const build of [passed, failed])
    await waitFor(async () => (await api.json("GET", build.url)).finished_at, { withinMs: 120_000 });
  const running = await submit("search: index in parallel", green("starts"), "sleep 60");
  await waitFor(async () => (await api.json("GET", running.url)).status === "running", { withinMs: 60_000 });
  const path = (/** @type {{ url: string }} */ record) => new URL(record.url).pathname;
  const { username } = await api.json("GET", "/user");
  return {
    builds: "/builds",
    build: path(failed),
    running: path(running),
    "new-build": "/-/new-build",
    namespace: `/n/${username}/shop`,
    record: "/user",
  };
};

/** @type {{ kind: string, colorScheme: "light" | "dark", viewport: { width: number, height: number }, names: (keyof Awaited<ReturnType<typeof prepare>>)[] }[]} */
const shots = [
  {
    kind: "light",
    colorScheme: "light",
    viewport: { width: 1200, height: 800 },
    names: ["builds", "build", "new-build", "namespace", "record"],
  },
  {
    kind: "phone",
    colorScheme: "dark",
    viewport: { width: 390, height: 800 },
    names: ["builds", "running"],
  },
];

const token = process.env.TOKEN;
const found = await findBrowser();
if (!token) throw new Error("TOKEN is required: `npm start` prints one");
if ("reason" in found) throw new Error(found.reason);
const api = apiAt(url, token);
const pages = await prepare(api);
mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({
  executablePath: found.path,
  args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
});
for (const { kind, colorScheme, viewport, names } of shots) {
  const context = await browser.newContext({ viewport, colorScheme, reducedMotion: "reduce" });
  const page = await context.newPage();
  await page.goto((await api.json("POST", "/user/sign-in-links")).url);
  await page.waitForURL(/\/builds$/);
  for (const name of names) {
    await page.goto(url + pages[name]);
    await page.locator("h1").waitFor();
    await page.waitForLoadState("networkidle", { timeout: 2_000 }).catch(() => undefined);
    await page.screenshot({ path: join(folder, `${name}-${kind}.png`) });
  }
  await context.close();
}
await browser.close();
console.log(`Pictures are in ${folder}`);
