/// <reference types="jest" />
import { type Constellation, created, type SignedUp, startConstellation } from "@ci/testkit/constellation";
import { notRun } from "@ci/testkit/not-run";
import { freePort } from "@ci/testkit/ports";
import { suite } from "@ci/testkit/suite";
import axe from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

export interface Web {
  readonly ci: Constellation;
  readonly browser: Browser;
  /** Opens a page of a new browser context, signed in by a link if there is a user. */
  open(path: string, user?: SignedUp, options?: BrowserContextOptions): Promise<Page>;
}

const timeoutMs = 400_000;

/**
 * Runs tests with all services, a runner and a browser. Each page gets a context of its own. Without a browser here,
 * the tests are named as not run. `settingsFor` returns further settings of the services.
 */
export function inBrowser(
  tests: (web: Web) => void,
  settingsFor: (publicUrl: string) => Promise<Readonly<Record<string, string>>> = async () => ({}),
): void {
  const executablePath = process.env.CI_TEST_BROWSER;
  if (!executablePath) {
    notRun("the web page in a browser", "there is no Chromium: set CI_TEST_BROWSER to its path");
    return;
  }
  const names = suite();
  const web = {} as { -readonly [K in keyof Web]: Web[K] };
  beforeAll(async () => {
    const publicPort = await freePort();
    const settings = await settingsFor(`http://127.0.0.1:${publicPort}/api`);
    web.ci = await startConstellation(names, { runner: true, publicPort, settings });
    // Root cannot use the browser's own sandbox. The tests load no page but ours.
    web.browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });
  });
  afterAll(async () => {
    await web.browser?.close();
    await web.ci?.[Symbol.asyncDispose]();
  });
  afterEach(async () => {
    for (const context of web.browser.contexts()) await context.close();
  });
  web.open = async (path, user, options) => {
    const context = await web.browser.newContext({ reducedMotion: "reduce", ...options });
    context.setDefaultTimeout(timeoutMs);
    const page = await context.newPage();
    if (user) {
      const { url } = created(await user.post("/user/sign-in-links"));
      await page.goto(url);
      await page.waitForURL(/\/builds$/);
    }
    await page.goto(web.ci.url + path);
    return page;
  };
  tests(web);
}

/** Returns what makes a page hard to use, by rules of WCAG 2.2 AA and axe's own, or by these rules alone. */
export async function violations(page: Page, rules?: readonly string[]): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(
    (options) => (globalThis as unknown as { axe: typeof axe }).axe.run(options),
    rules ? { runOnly: { type: "rule" as const, values: [...rules] } } : {},
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

/** Returns what makes a page hard to use in light and in dark, which differ in colors alone. */
export async function violationsInBothSchemes(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: "light" });
  const inLight = await violations(page);
  await page.emulateMedia({ colorScheme: "dark" });
  return [...inLight, ...(await violations(page, ["color-contrast"])).map((text) => `in dark, ${text}`)];
}

/** Returns what a page complains about in the browser's console, from now on. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  return complaints;
}

/** The script that makes a page believe that it is hidden, or visible. */
export const asHidden = (hidden: boolean): string =>
  `Object.defineProperty(document, 'hidden', { configurable: true, value: ${hidden} })`;

export const setHidden = (page: Page, hidden: boolean): Promise<unknown> =>
  page.evaluate(`${asHidden(hidden)}; document.dispatchEvent(new Event('visibilitychange'))`);
