import { readFileSync } from "node:fs";
import { aManifest } from "@ci/testkit/builders";
import { created } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import type { Page } from "playwright-core";
import { spent } from "../src/format.js";
import { complaintsOf, inBrowser, violations } from "./_browser.js";

const commands = (...lines: string[]) => aManifest({ jobs: [{ stage: "test", name: "unit", commands: lines }] });
/** A search in the whole page takes long if it shows many lines. */
const toolbar = (page: Page) => page.locator(".toolbar");

inBrowser((web) => {
  test("a user signs in by a link, submits a build and watches it, also after a reload and on the way back", async () => {
    const ann = await web.ci.signUp();
    const { url } = created(await ann.post("/user/sign-in-links"));
    const page = await web.open("/-/sign-in");
    const complaints = complaintsOf(page);
    await page.goto(url);
    await page.getByRole("heading", { name: "Builds" }).waitFor();
    expect(page.url()).toBe(`${web.ci.url}/builds`);
    await page.getByText("There are no builds yet.").waitFor();

    await page.getByRole("link", { name: "New build" }).click();
    await page.getByLabel("Manifest").fill(commands("echo first", "sleep 2", "echo second"));
    await page.getByText("Valid: 1 job: unit").waitFor();
    await page.getByLabel("Comment").fill("Try the page");
    await page.getByRole("button", { name: "Submit the build" }).click();
    await page.waitForURL(`${web.ci.url}/b/${ann.username}/1`);
    const log = page.getByRole("region", { name: "Lines of unit" });
    await log.getByText("first", { exact: true }).waitFor();
    await log.getByText("second", { exact: true }).waitFor();
    await page.getByRole("main").getByText("passed").first().waitFor();

    await page.reload();
    await log.getByText("second", { exact: true }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "New build" }).waitFor();
    await page.goBack();
    await page.getByRole("link", { name: /Try the page/ }).waitFor();
    await page.goForward();
    await page.goForward();
    await log.getByText("second", { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  test("a running build can be killed, and then restarted, pinned and tagged", async () => {
    const ann = await web.ci.signUp();
    const { number } = created(await ann.post("/builds", { manifest: commands("echo up", "sleep 600") }));
    const page = await web.open(`/b/${ann.username}/${number}`, ann);
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    await page.getByText("up", { exact: true }).waitFor();
    await button("Kill").click();
    await page.locator(".summary").getByText("killed").first().waitFor();
    await button("Pin").click();
    await button("Unpin").waitFor();
    await page.getByLabel("New tag").fill("from/page");
    await page.keyboard.press("Enter");
    await button("Remove the tag from/page").waitFor();
    await page.getByLabel("New tag").fill("from page");
    await page.keyboard.press("Enter");
    const complaint = (field: unknown) => (field as { validationMessage: string }).validationMessage;
    const refused = 'Use a-z, A-Z, 0-9 and -_./ only, and not just . or .., instead of "from page".';
    expect(await page.getByLabel("New tag").evaluate(complaint)).toBe(refused);
    await page.getByLabel("New tag").fill("from/page/");
    await page.keyboard.press("Enter");
    await button("Remove the tag from/page/").click();
    await button("Remove the tag from/page/").waitFor({ state: "detached" });
    await button("Remove the tag from/page").click();
    await button("Remove the tag from/page").waitFor({ state: "detached" });
    await button("Restart").click();
    await page.waitForURL(`${web.ci.url}/b/${ann.username}/${number + 1}`);
    await button("Kill").click();
    await eventually(async () =>
      expect((await ann.get(`/b/${ann.username}/${number + 1}`)).json.status).toBe("killed"),
    );
  });

  test("colours are shown, a line has an address, and its number is not copied", async () => {
    const ann = await web.ci.signUp();
    const manifest = commands("printf '\\033[31mred\\033[0m plain\\n'", "seq 300");
    const build = created(await ann.post("/builds", { manifest }));
    await eventually(async () => expect((await ann.get(build.url)).json.status).toBe("passed"));
    const page = await web.open(`/b/${ann.username}/${build.number}#unit:L250`, ann);
    const marked = page.locator(".marked");
    await marked.waitFor();
    const [, number] = (await marked.getAttribute("id"))!.split(":L");
    expect(number).toBe("250");
    expect((await marked.boundingBox())!.y).toBeLessThan(720);
    expect(await marked.textContent()).toBe((await ann.get(`${build.url}/jobs/unit/output`)).text.split("\n")[249]);
    expect(await page.locator(".ansi-fg-1").textContent()).toBe("red");
    const colour = await page.evaluate("getComputedStyle(document.querySelector('.ansi-fg-1')).color");
    expect(colour).toBe("rgb(179, 38, 30)");
  });

  test("of much output the end is shown first, under its line numbers, and all of it on demand", async () => {
    const ann = await web.ci.signUp();
    const build = created(await ann.post("/builds", { manifest: commands("seq -f 'line number %.0f' 100000") }));
    await eventually(async () => expect((await ann.get(build.url)).json.status).toBe("passed"));
    const page = await web.open(`/b/${ann.username}/${build.number}`, ann);
    const last = page.getByText("line number 100000", { exact: true });
    await last.waitFor({ state: "attached" });
    await page.getByText(/The first .* are not shown/).waitFor();
    expect(await page.locator(".line").count()).toBeLessThan(20_000);
    const { text } = await ann.get(`${build.url}/jobs/unit/output`);
    const numberOf = (wanted: string) => text.split("\n").indexOf(wanted) + 1;
    const number = numberOf("line number 99990");
    await page.getByText("line number 99990", { exact: true }).locator("a").click();
    expect(page.url()).toMatch(new RegExp(`#unit:L${number}$`));
    expect(await page.locator(".marked").textContent()).toBe("line number 99990");
    await page.evaluate(`window.most = 0;
      const linesIn = (node) => node.querySelectorAll?.(".line").length ?? 0;
      new MutationObserver((records) => {
        const added = records.flatMap(({ addedNodes }) => [...addedNodes]);
        window.most = Math.max(window.most, added.reduce((sum, node) => sum + linesIn(node), 0));
      }).observe(document.body, { childList: true, subtree: true });`);
    await page.getByRole("button", { name: "Earlier lines" }).click();
    await toolbar(page)
      .getByText(new RegExp(`^lines 7\\d{4} to ${numberOf("line number 100000")}$`))
      .waitFor();
    expect(await page.evaluate("window.most")).toBe(500);
    await page.getByRole("button", { name: "From the beginning" }).click();
    await toolbar(page)
      .getByText(/^10000\d lines$/)
      .waitFor();
    expect(await page.locator(".line > a").count()).toBeGreaterThan(99_999);
  });

  test("a search finds lines that are not on the page, in both directions, and a line's address opens them", async () => {
    const ann = await web.ci.signUp();
    const manifest = commands("seq -f 'line number %.0f of a long output' 1 150000");
    const build = created(await ann.post("/builds", { manifest }));
    await eventually(async () => expect((await ann.get(build.url)).json.status).toBe("passed"));
    const page = await web.open(`/b/${ann.username}/${build.number}`, ann);
    await page.getByText("line number 150000 of").waitFor({ state: "attached" });
    const marked = page.locator(".marked");
    await page.getByLabel("Search the output").fill("NUMBER 7777");
    await page.keyboard.press("Enter");
    await toolbar(page).getByText("1 of 11 lines").waitFor();
    await marked.getByText("line number 7777 of").waitFor();
    await page.keyboard.press("Enter");
    await marked.getByText("line number 77770 of").waitFor();
    await page.keyboard.press("Enter");
    await marked.getByText("line number 77771 of").waitFor();
    await page.getByRole("button", { name: "Previous" }).click();
    await marked.getByText("line number 77770 of").waitFor();
    await page.getByRole("button", { name: "Earlier lines" }).waitFor();
    await page.goto(`${web.ci.url}/b/${ann.username}/${build.number}#unit:L100000`);
    await page.reload();
    await marked.getByText("line number 9999").waitFor();
    expect(await marked.getAttribute("id")).toBe("unit:L100000");
    await page.getByLabel("Search the output").fill("not there");
    await page.keyboard.press("Enter");
    await toolbar(page).getByText("No line has this text.").waitFor();
  });

  test("the output of a command can be folded, and lines need not wrap", async () => {
    const ann = await web.ci.signUp();
    const manifest = commands("echo one; echo two", "printf '%0300d\\n' 7");
    const build = created(await ann.post("/builds", { manifest }));
    await eventually(async () => expect((await ann.get(build.url)).json.status).toBe("passed"));
    const page = await web.open(`/b/${ann.username}/${build.number}#unit`, ann);
    const log = page.getByRole("region", { name: "Lines of unit" });
    const fold = log.getByRole("button", { name: "Output of echo two" });
    await log.getByText("two", { exact: true }).waitFor();
    await fold.press("Enter");
    await log.getByText("two", { exact: true }).waitFor({ state: "hidden" });
    expect(await fold.getAttribute("aria-expanded")).toBe("false");
    expect(await log.getByText("one", { exact: true }).isVisible()).toBe(true);
    await fold.press("Enter");
    await log.getByText("two", { exact: true }).waitFor();
    const height = async () => (await log.boundingBox())!.height;
    const wrapped = await height();
    await page.getByRole("button", { name: "Wrap lines" }).click();
    expect(await height()).toBeLessThan(wrapped);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    expect(await violations(page)).toEqual([]);
  });

  test("a time line says when the build waited and when each job ran", async () => {
    const ann = await web.ci.signUp();
    const { url, number } = created(await ann.post("/builds", { manifest: commands("sleep 1") }));
    const build = await eventually(async () => {
      const { json } = await ann.get(url);
      expect(json.status).toBe("passed");
      return json;
    });
    const job = (await ann.get(`${url}/jobs/unit`)).json;
    const ran = spent(job.started_at, job.finished_at, 0);
    const page = await web.open(`/b/${ann.username}/${number}`, ann);
    const waited = spent(build.created_at, build.started_at, 0);
    const whole = spent(build.started_at, build.finished_at, 0);
    await page.getByText(`Timeline: waited ${waited}, ran ${whole}`, { exact: true }).press("Enter");
    await page.getByText(`waited ${waited} for a runner`, { exact: true }).waitFor();
    const line = page.locator(".timeline li li").filter({ hasText: "unit" });
    await line.getByText(`ran ${ran} after ${spent(build.started_at, job.started_at, 0)}`, { exact: true }).waitFor();
    const { width } = (await line.locator(".bar-passed").boundingBox())!;
    expect(width).toBeGreaterThan(20);
    expect(await violations(page)).toEqual([]);
  });

  test("the report of tests begins with failures, and lists the slowest", async () => {
    const ann = await web.ci.signUp();
    const cases = Array.from({ length: 30 }, (_, nth) => `<testcase name="case ${nth}" time="${nth / 10}"/>`).join("");
    const failed = '<testcase name="breaks" time="0.2"><failure message="expected 1">at line 7</failure></testcase>';
    const command = `printf '%s' '<testsuite name="s">${cases}${failed}</testsuite>' > r.xml`;
    const job = { stage: "test", name: "unit", commands: [command], reports: [{ junit: "r.xml" }] };
    const build = created(await ann.post("/builds", { manifest: aManifest({ jobs: [job] }) }));
    await eventually(async () => expect((await ann.get(build.url)).json.tests).toMatchObject({ total: 31 }));
    const page = await web.open(`/b/${ann.username}/${build.number}`, ann);
    await page.getByRole("link", { name: "1 of 31 tests failed" }).click();
    const failures = page.getByRole("region", { name: "Failed tests" });
    await failures.getByText("breaks", { exact: true }).waitFor();
    await failures.getByText("expected 1", { exact: true }).press("Enter");
    await failures.getByText("at line 7").waitFor();
    const slowest = page.getByRole("region", { name: "Slowest tests" }).locator(".row .what > span");
    expect((await slowest.allTextContents()).slice(0, 2)).toEqual(["case 29", "case 28"]);
    expect(await violations(page)).toEqual([]);
    await page.getByRole("link", { name: "31 in all" }).click();
    await page.getByRole("link", { name: "Next page" }).click();
    await page.getByText("case 29", { exact: true }).waitFor();
    await page.reload();
    await page.getByText("case 29", { exact: true }).waitFor();
  });

  test("the builds of a matrix lead to each other", async () => {
    const ann = await web.ci.signUp();
    const manifest = aManifest({ matrix: { LEVEL: ["low", "high"] }, jobs: [{ stage: "test", commands: ["true"] }] });
    const { number } = created(await ann.post("/builds", { manifest }));
    const page = await web.open("/builds", ann);
    const lists: string[] = [];
    page.on("request", (request) => {
      if (/\/builds\?/.test(request.url())) lists.push(request.url());
    });
    await page.goto(`${web.ci.url}/b/${ann.username}/${number}`);
    const matrix = page.getByRole("navigation", { name: "Builds of the matrix" });
    await matrix.getByText("Matrix: LEVEL=low (build 1 of 2)").waitFor();
    await matrix.getByRole("link", { name: /LEVEL=high/ }).click();
    await page.waitForURL(`${web.ci.url}/b/${ann.username}/${number + 1}`);
    await matrix.getByText("Matrix: LEVEL=high (build 2 of 2)").waitFor();
    expect(await matrix.locator("[aria-current]").textContent()).toContain("LEVEL=high");
    await page.getByRole("link", { name: "Builds", exact: true }).click();
    await page.getByRole("link", { name: /#2$/ }).waitFor();
    expect(lists.filter((url) => /\bgroup=/.test(url)).length).toBeGreaterThan(0);
    expect(lists.filter((url) => !/\bbrief=true\b/.test(url))).toEqual([]);
    expect(await violations(page)).toEqual([]);
  });

  test("the page of a finished build still follows the others of its matrix", async () => {
    const ann = await web.ci.signUp();
    const job = { stage: "test", commands: ['[ "$LEVEL" = low ] || sleep 600'] };
    const { number } = created(
      await ann.post("/builds", { manifest: aManifest({ matrix: { LEVEL: ["low", "high"] }, jobs: [job] }) }),
    );
    const page = await web.open(`/b/${ann.username}/${number}`, ann);
    const matrix = page.getByRole("navigation", { name: "Builds of the matrix" });
    await matrix.getByRole("link", { name: /running.*LEVEL=high/ }).waitFor();
    await page.locator(".summary").getByText("passed").waitFor();
    await ann.delete(`/b/${ann.username}/${number + 1}`);
    await matrix.getByRole("link", { name: /killed.*LEVEL=high/ }).waitFor();
  });

  test("an artifact and an output are saved as files", async () => {
    const ann = await web.ci.signUp();
    const job = { stage: "test", name: "unit", commands: ["echo made > made.txt"], artifacts: ["made.txt"] };
    const build = created(await ann.post("/builds", { manifest: aManifest({ jobs: [job] }) }));
    await eventually(async () => expect((await ann.get(build.url)).json.status).toBe("passed"));
    const page = await web.open(`/b/${ann.username}/${build.number}#unit`, ann);
    const saved = async (name: string) => {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("link", { name, exact: true }).click(),
      ]);
      return [download.suggestedFilename(), readFileSync(await download.path(), "utf8")];
    };
    expect(await saved("Download made.txt")).toEqual(["made.txt", "made\n"]);
    const [name, text] = await saved("Download");
    expect([name, text]).toEqual([`${ann.username}-1-unit.log`, expect.stringContaining("echo made")]);
  });

  test("a lost connection is named, and the output continues after it", async () => {
    const ann = await web.ci.signUp();
    const flag = `/tmp/ci-web-${ann.username}`;
    const manifest = commands("echo before", `while [ ! -e ${flag} ]; do sleep 0.1; done`, "echo after");
    const { number, url } = created(await ann.post("/builds", { manifest }));
    const page = await web.open(`/b/${ann.username}/${number}`, ann);
    const log = page.getByRole("region", { name: "Lines of unit" });
    await log.getByText("before", { exact: true }).waitFor();
    await page.context().setOffline(true);
    await page.getByText("Not live").first().waitFor();
    await page.context().setOffline(false);
    await page.getByText("Not live").first().waitFor({ state: "detached" });
    expect(await log.getByText("before", { exact: true }).count()).toBe(1);
    await ann.delete(url);
    await page.locator(".summary").getByText("killed").first().waitFor();
  });
});
