import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { aManifest } from "@ci/testkit/builders";
import { created, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { sharedFolder } from "@ci/testkit/shared-folder";
import type { Page } from "playwright-core";
import { complaintsOf, inBrowser, violations } from "./_browser.js";

const job = (name: string, ...commands: string[]) => ({ stage: "test", name, commands });
const linesOf = (page: Page, name = "unit") => page.getByRole("region", { name: `Lines of ${name}` });
const timesButton = (page: Page) => page.getByRole("button", { name: "Times", exact: true });

/** Returns the times that the API has for the lines of a job's output. */
async function timesOf(user: SignedUp, url: string, name = "unit"): Promise<string[]> {
  const { text } = await user.get(`${url}/jobs/${name}/output?timestamps=true`);
  return text
    .trimEnd()
    .split("\n")
    .map((line) => line.slice(0, 24));
}

const shownTimes = (page: Page): Promise<string[]> =>
  page.evaluate("[...document.querySelectorAll('.line')].map((line) => line.querySelector('time')?.dateTime ?? '')");

/** Waits until every line on the page has its time, in order; these are the last ones that the API has. */
async function allTimed(page: Page, expected: readonly string[]): Promise<void> {
  await eventually(async () => {
    const shown = await shownTimes(page);
    expect(shown.length).toBeGreaterThan(0);
    expect(shown).toEqual(expected.slice(-shown.length));
  });
}

inBrowser((web) => {
  async function ended(...jobs: ReturnType<typeof job>[]) {
    const ann = await web.ci.signUp();
    const build = created(await ann.post("/builds", { manifest: aManifest({ jobs }) }));
    await eventually(async () => expect((await ann.get(build.url)).json.status).toBe("passed"));
    return { ann, build };
  }

  test("lines show the local time when they were printed, which is not copied and not found", async () => {
    const { ann, build } = await ended(job("unit", "echo one", "sleep 1.1", "echo two"), job("next", "echo three"));
    const page = await web.open(`/b/${ann.username}/${build.number}#unit`, ann, { timezoneId: "Asia/Tokyo" });
    const complaints = complaintsOf(page);
    const two = linesOf(page).getByText("two", { exact: true });
    await two.waitFor();
    expect(await shownTimes(page)).not.toContainEqual(expect.stringMatching(/Z$/));
    await timesButton(page).click();
    const expected = await timesOf(ann, build.url);
    await allTimed(page, expected);
    const last = page.locator(".line time").last();
    await last.waitFor({ state: "visible" });
    expect(await last.getAttribute("title")).toBe(expected.at(-1));
    const clock = new Date(expected.at(-1)!).toLocaleTimeString("en-GB", { timeZone: "Asia/Tokyo" });
    const content = "getComputedStyle([...document.querySelectorAll('.line time')].at(-1), '::before').content";
    expect(await page.evaluate(content)).toBe(`"${clock}"`);
    const copied = "getSelection().selectAllChildren(document.querySelector('.log')); getSelection().toString()";
    expect(await page.evaluate(copied)).not.toMatch(/\d\d:\d\d/);
    await page.getByLabel("Search the output").fill(expected[0]!.slice(0, 10));
    await page.keyboard.press("Enter");
    await page.getByText("No line has this text.").waitFor();
    expect(await violations(page)).toEqual([]);

    // Other jobs show their times, too, until the reader hides them.
    await page.getByRole("navigation", { name: "Jobs" }).getByRole("link", { name: /next/ }).click();
    await linesOf(page, "next").getByText("three", { exact: true }).waitFor();
    await allTimed(page, await timesOf(ann, build.url, "next"));
    await timesButton(page).click();
    await page.locator(".line time").first().waitFor({ state: "hidden" });
    expect(complaints).toEqual([]);
  });

  test("a live output shows the times of earlier and of new lines", async () => {
    const ann = await web.ci.signUp();
    const dir = sharedFolder("ci-web-times-");
    const wait = (name: string) => `while [ ! -e ${join(dir, name)} ]; do sleep 0.1; done`;
    const script = `set +x; echo first; printf open; ${wait("a")}; echo ed; ${wait("b")}; echo last`;
    const { number, url } = created(
      await ann.post("/builds", { manifest: aManifest({ jobs: [job("unit", script)] }) }),
    );
    const page = await web.open(`/b/${ann.username}/${number}`, ann);
    const complaints = complaintsOf(page);
    const log = linesOf(page);
    await log.getByText("open", { exact: true }).waitFor();
    await timesButton(page).click();
    await allTimed(page, await timesOf(ann, url));
    await writeFile(join(dir, "a"), "");
    await log.getByText("opened", { exact: true }).waitFor();
    await writeFile(join(dir, "b"), "");
    await log.getByText("last", { exact: true }).waitFor();
    await page.locator(".summary").getByText("passed").first().waitFor();
    await allTimed(page, await timesOf(ann, url));
    await rm(dir, { recursive: true });
    expect(await log.getByText("first", { exact: true }).count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  test("the line in view stays when times appear; earlier lines and a line's address have them", async () => {
    // With times, such a line takes one row more.
    const line = `line%.0f${"x".repeat(168)}`;
    const { ann, build } = await ended(job("unit", `seq -f '${line}' 6000`));
    const page = await web.open(`/b/${ann.username}/${build.number}#unit:L3000`, ann);
    const marked = page.locator(".marked");
    await marked.getByText("line299").waitFor();
    const expected = await timesOf(ann, build.url);
    // Not every browser keeps the place by itself.
    await page.evaluate("document.documentElement.style.overflowAnchor = 'none'");
    const before = (await marked.boundingBox())!;
    // A click of the mouse would scroll to the button.
    await timesButton(page).evaluate((button) => (button as unknown as { click(): void }).click());
    await page.locator(".marked time").waitFor();
    const after = (await marked.boundingBox())!;
    expect(after.height).toBeGreaterThan(before.height);
    // The line at the top of the window stays where it is, and those up to this one take a row more.
    expect(after.y).toBeGreaterThan(before.y);
    expect(after.y).toBeLessThan(before.y + 720);
    await page.getByRole("button", { name: "Earlier lines" }).click();
    await eventually(async () => {
      const shown = await shownTimes(page);
      expect(shown.length).toBeGreaterThan(3_500);
      expect(shown).toEqual(expected.slice(-shown.length));
    });
    await page.getByRole("button", { name: "From the beginning" }).click();
    await page.getByText(/^600\d lines$/).waitFor();
    await allTimed(page, expected);
    expect(await page.locator(".line").count()).toBe(expected.length);
  });

  test("earlier lines go on through a line that is longer than what one load brings", async () => {
    const script = "set +x; echo begin; printf '%0700000d\\n' 7; seq 100";
    const { ann, build } = await ended(job("unit", script));
    const page = await web.open(`/b/${ann.username}/${build.number}`, ann);
    await timesButton(page).click();
    const earlier = page.getByRole("button", { name: "Earlier lines" });
    const log = linesOf(page);
    await eventually(async () => {
      // A click of the mouse would wait for a button that has gone.
      await earlier.evaluateAll((buttons) => (buttons[0] as unknown as { click(): void } | undefined)?.click());
      expect(await log.getByText("begin", { exact: true }).count()).toBe(1);
    });
    await earlier.waitFor({ state: "detached" });
    expect(await page.locator(".line.piece").count()).toBeGreaterThan(1);
    const ids = await page.locator(".line[id]").evaluateAll((lines) => lines.map(({ id }) => id));
    expect(ids).toHaveLength(new Set(ids).size);
    await page.getByText(`${ids.length} lines`, { exact: true }).waitFor();
    const expected = await timesOf(ann, build.url);
    await eventually(async () => expect((await shownTimes(page)).filter(Boolean)).toEqual(expected));
  });
});
