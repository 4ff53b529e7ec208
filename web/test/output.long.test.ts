import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { QueueServiceDefinition } from "@ci/proto/builds/v1/queue";
import { aManifest } from "@ci/testkit/builders";
import { created } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { connect } from "@ci/testkit/identities";
import { leased } from "@ci/testkit/leased";
import { sharedFolder } from "@ci/testkit/shared-folder";
import type { Page } from "playwright-core";
import { asHidden, inBrowser, setHidden } from "./_browser.js";

/** A browser opens so many connections to one server over HTTP/1.1. */
const maxConnections = 6;

const commands = (script: string) => aManifest({ jobs: [{ stage: "test", name: "unit", commands: [script] }] });
const linesOf = (page: Page) => page.getByRole("region", { name: "Lines of unit" });
const line = (page: Page, text: string) => linesOf(page).getByText(text, { exact: true });

inBrowser((web) => {
  test("hidden tabs leave the browser its connections, and continue their outputs when they are shown", async () => {
    const ann = await web.ci.signUp();
    const dir = sharedFolder("ci-web-hidden-");
    const wait = (name: string) => `while [ ! -e ${join(dir, name)} ]; do sleep 0.1; done`;
    const script = `set +x; echo first; ${wait("a")}; echo second; ${wait("b")}; echo third`;
    const { number } = created(await ann.post("/builds", { manifest: commands(script) }));
    const place = `/b/${ann.username}/${number}`;
    const context = (await web.open("/builds", ann)).context();
    const openTab = async (hidden: boolean) => {
      const tab = await context.newPage();
      if (hidden) await tab.addInitScript(asHidden(true));
      await tab.goto(web.ci.url + place);
      await line(tab, "first").waitFor();
      return tab;
    };
    const tabs: Page[] = [];
    for (let nth = 0; nth < maxConnections; nth++) tabs.push(await openTab(true));
    const shown = await openTab(false);
    await writeFile(join(dir, "a"), "");
    await line(shown, "second").waitFor();
    const [tab] = tabs as [Page];
    expect(await line(tab, "second").count()).toBe(0);
    await setHidden(tab, false);
    await line(tab, "second").waitFor();
    await setHidden(tab, true);
    await writeFile(join(dir, "b"), "");
    await line(shown, "third").waitFor();
    await setHidden(tab, false);
    await line(tab, "third").waitFor();
    await tab.locator(".summary").getByText("passed").first().waitFor();
    await rm(dir, { recursive: true });
    for (const text of ["first", "second", "third"]) expect(await line(tab, text).count()).toBe(1);
  });

  test("earlier lines continue exactly before an end that begins inside a character", async () => {
    const ann = await web.ci.signUp();
    const script = `set +x; seq -f '%06.0f${"€".repeat(31)}' 4000`;
    const build = created(await ann.post("/builds", { manifest: commands(script) }));
    await eventually(async () => expect((await ann.get(build.url)).json.status).toBe("passed"));
    const { text } = await ann.get(`${build.url}/jobs/unit/output`);
    expect(Buffer.from(text).at(-256 * 1024)! & 0xc0).toBe(0x80);
    const page = await web.open(`/b/${ann.username}/${build.number}`, ann);
    await page.getByRole("button", { name: "Earlier lines" }).click();
    await page.getByRole("button", { name: "Earlier lines" }).waitFor({ state: "detached" });
    const shown = "[...document.querySelectorAll('.line')].map((line) => line.textContent)";
    expect(await page.evaluate(shown)).toEqual(text.trimEnd().split("\n"));
  });

  test.each([
    ["has ended", "echo x", "passed", 12_620],
    ["still grows", "sleep 600", "running", 12_619],
  ])(
    "of a line longer than the end that is loaded, which %s, the end is shown, then the rest",
    async (_what, then, status, earlier) => {
      const ann = await web.ci.signUp();
      const script = `set +x; echo begin; printf '€%.0s' $(seq 100000); ${then}`;
      const build = created(await ann.post("/builds", { manifest: commands(script) }));
      const output = async () => (await ann.get(`${build.url}/jobs/unit/output`)).text;
      await eventually(async () => {
        expect((await ann.get(build.url)).json.status).toBe(status);
        expect((await output()).match(/€/g)).toHaveLength(100_000);
      });
      const text = await output();
      expect(Buffer.from(text).at(-256 * 1024)! & 0xc0).toBe(0x80);
      const page = await web.open(`/b/${ann.username}/${build.number}`, ann);
      const lines = linesOf(page).locator(".line");
      const shown = () => lines.allTextContents();
      await eventually(async () => expect(await shown()).toEqual([expect.stringMatching(/^€{1000}/)]));
      expect(await page.getByText("This job has printed nothing.").count()).toBe(0);
      await page.getByRole("button", { name: "Earlier lines" }).click();
      await page.getByRole("button", { name: "Earlier lines" }).waitFor({ state: "detached" });
      expect((await shown()).slice(1, -1)).toEqual(["begin", "€".repeat(earlier)]);
      await ann.delete(build.url);
    },
  );

  test("an output shows what follows an escape that begins no sequence, under the line's number", async () => {
    const ann = await web.ci.signUp();
    const script = "set +x; printf 'a\\033]b\\nc\\033Pd\\ne\\033]f'";
    const build = created(await ann.post("/builds", { manifest: commands(script) }));
    await eventually(async () => expect((await ann.get(build.url)).json.status).toBe("passed"));
    const { text } = await ann.get(`${build.url}/jobs/unit/output`);
    const last = text.split("\n").length;
    const page = await web.open(`/b/${ann.username}/${build.number}#unit:L${last - 1}`, ann);
    for (const shown of ["ab", "ef"]) await line(page, shown).waitFor();
    expect(await page.locator(".marked").textContent()).toBe("cd");
    await page.getByText(`${last} lines`, { exact: true }).waitFor();
  });

  test("the page says that an output has no such line, and a build no such job", async () => {
    const ann = await web.ci.signUp();
    const long = { stage: "test", name: "long", commands: ["seq 60000"] };
    const jobs = [{ stage: "test", name: "unit", commands: ["echo only"] }, long];
    const build = created(await ann.post("/builds", { manifest: aManifest({ jobs }) }));
    await eventually(async () => expect((await ann.get(build.url)).json.status).toBe("passed"));
    const address = `/b/${ann.username}/${build.number}`;
    const page = await web.open(`${address}#unit:L500`, ann);
    await page.getByText("The output has no line 500.").waitFor();
    await page.goto(`${web.ci.url + address}#unit:L1`);
    await page.getByText("The output has no line 500.").waitFor({ state: "detached" });
    await page.goto(`${web.ci.url + address}#unit:L77`);
    await page.getByText("The output has no line 77.").waitFor();
    await page.goto(`${web.ci.url + address}#long:L70000`);
    await page.getByText("The output has no line 70000.").waitFor();
    await page.goto(`${web.ci.url + address}#other:L7`);
    await page.getByText("This build has no job other.").waitFor();
  });

  test("a line that a running job has not printed yet is shown as soon as it is printed", async () => {
    const ann = await web.ci.signUp();
    const dir = sharedFolder("ci-web-later-");
    const wide = (number: number) => String(number).padStart(150, "0");
    const wait = (name: string) => `while [ ! -e ${join(dir, name)} ]; do sleep 0.1; done`;
    const seq = "seq -f %0150.0f";
    const script = `set +x; ${seq} 2000; ${wait("a")}; ${seq} 2001 3500; ${wait("b")}; ${seq} 3501 4000`;
    const { number, url } = created(await ann.post("/builds", { manifest: commands(script) }));
    await eventually(async () => expect((await ann.get(`${url}/jobs/unit/output`)).text).toContain(wide(2000)));
    const page = await web.open(`/b/${ann.username}/${number}#unit:L3000`, ann);
    await page.getByText("The output has no line 3000 yet.").waitFor();
    const [printed, never] = [await page.context().newPage(), await page.context().newPage()];
    await printed.goto(page.url());
    await never.goto(page.url().replace("L3000", "L9000"));
    const isAboveEnd = "document.querySelector('.log').getBoundingClientRect().bottom > innerHeight + 100";
    for (const reads of [printed, never]) {
      await reads.getByText(/^The output has no line \d+ yet\.$/).waitFor();
      await line(reads, wide(2000)).waitFor();
      await eventually(async () => {
        await reads.mouse.wheel(0, -600);
        expect(await reads.evaluate(isAboveEnd)).toBe(true);
      });
    }
    await writeFile(join(dir, "a"), "");
    await page
      .locator(".marked")
      .getByText(/^0+(29|30)\d{2}$/)
      .waitFor();
    for (const shows of [page, printed]) await shows.getByText("The output has no line").waitFor({ state: "detached" });
    expect(await never.getByText("The output has no line 9000 yet.").count()).toBe(1);
    expect((await ann.get(url)).json.status).toBe("running");
    await writeFile(join(dir, "b"), "");
    await never.getByText("The output has no line 9000.").waitFor();
    await line(printed, wide(4000)).waitFor();
    expect(await page.locator(".marked").count()).toBe(1);
    for (const reads of [printed, never]) expect(await reads.evaluate(isAboveEnd)).toBe(true);
    await rm(dir, { recursive: true });
  });

  test("a line that is printed later is shown, but not to a reader who has scrolled elsewhere", async () => {
    const ann = await web.ci.signUp();
    const dir = sharedFolder("ci-web-elsewhere-");
    const wait = (name: string) => `while [ ! -e ${join(dir, name)} ]; do sleep 0.1; done`;
    const script = `set +x; seq 100; ${wait("a")}; seq 101 120; ${wait("b")}; seq 121 200`;
    const { number } = created(await ann.post("/builds", { manifest: commands(script) }));
    const waits = await web.open(`/b/${ann.username}/${number}#unit:L150`, ann);
    const [reads, shifts] = [await waits.context().newPage(), await waits.context().newPage()];
    const pages = [waits, reads, shifts];
    for (const page of pages) {
      await page.goto(waits.url());
      await line(page, "100").waitFor();
      const isLong = "document.documentElement.scrollHeight > 2 * innerHeight";
      await eventually(async () => expect(await page.evaluate(isLong)).toBe(true));
    }
    for (const page of [reads, shifts]) {
      await page.mouse.wheel(0, 300);
      await eventually(async () => expect(await page.evaluate("scrollY")).toBe(300));
    }
    await shifts.evaluate("location.hash = 'unit:L160'");
    await writeFile(join(dir, "a"), "");
    for (const page of pages) await line(page, "120").waitFor();
    const above = "Object.assign(document.createElement('div'), { style: 'height: 40px' })";
    await shifts.evaluate(`document.querySelector('main').prepend(${above})`);
    await eventually(async () => expect(await shifts.evaluate("scrollY")).toBe(340));
    await writeFile(join(dir, "b"), "");
    for (const page of pages) await line(page, "200").waitFor();
    for (const page of pages) expect(await page.locator(".marked").count()).toBe(1);
    for (const page of [waits, shifts]) expect(await page.evaluate("scrollY")).toBeGreaterThan(1_000);
    // The end of a job changes the facts above its output.
    expect(await reads.evaluate("scrollY")).toBeLessThan(600);
    await rm(dir, { recursive: true });
  });

  test("an output continues when a job that had ended runs again", async () => {
    const ann = await web.ci.signUp();
    const driver = { type: "docker", image: "none", workspace: "/w" };
    const build = created(await ann.post("/builds", { manifest: aManifest({ driver }) }));
    await using peer = connect(web.ci.addresses.builds);
    const queue = leased(peer.client(QueueServiceDefinition));
    /** Claims the build and ends its first job with this output. */
    const prepare = async (text: string) => {
      const { assignment } = await queue.claimBuild({ runnerId: "r", drivers: ["docker"] });
      const { buildId, epoch, jobs, outputBytes: offset } = assignment!;
      const ended = { jobId: jobs[0]!.id, outcome: "passed" as const, text, offset, placedObjectIds: [] };
      await queue.finishJob({ buildId, epoch, ...ended });
      return { buildId, epoch };
    };
    const page = await web.open(`/b/${ann.username}/${build.number}#create-driver`, ann);
    const shown = (text: string) => page.getByRole("region", { name: "Lines of create-driver" }).getByText(text);
    const isNow = (status: string) =>
      page
        .getByRole("navigation", { name: "Jobs" })
        .getByRole("link", { name: new RegExp(`create-driver.*${status}`) })
        .waitFor();
    const lease = await prepare("first\n");
    await isNow("passed");
    await shown("first").waitFor();
    await queue.returnBuild(lease);
    await isNow("queued");
    await prepare("second\n");
    await shown("second").waitFor();
    expect(await shown("first").count()).toBe(1);
  });

  test("skipping to the content keeps the chosen job", async () => {
    const ann = await web.ci.signUp();
    const jobs = ["one", "two"].map((name) => ({ stage: "test", name, commands: [`echo from ${name}`] }));
    const build = created(await ann.post("/builds", { manifest: aManifest({ jobs }) }));
    await eventually(async () => expect((await ann.get(build.url)).json.status).toBe("passed"));
    const page = await web.open(`/b/${ann.username}/${build.number}#one`, ann);
    const output = page.getByText("from one", { exact: true });
    await output.waitFor();
    await page.getByRole("link", { name: "Skip to the content" }).press("Enter");
    expect(await page.evaluate("document.activeElement.textContent")).toBe(`${ann.username} #${build.number}`);
    expect(page.url()).toMatch(/#one$/);
    await output.waitFor();
  });
});
