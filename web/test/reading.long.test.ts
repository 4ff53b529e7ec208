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
import { counted } from "../src/format.js";
import { inBrowser } from "./_browser.js";

const outputOf = (page: Page, job: string) => page.getByRole("region", { name: `Output of ${job}` });

inBrowser((web) => {
  test.each([
    ["has scrolled up", (page: Page) => page.getByText("line 200", { exact: true }).scrollIntoViewIfNeeded()],
    ["searches", (page: Page) => page.getByLabel("Search the output").fill("line 7")],
  ])("the page leaves a job's output to a reader who %s, and follows one at its end", async (_what, read) => {
    const ann = await web.ci.signUp();
    const dir = sharedFolder("ci-web-reading-");
    const until = (name: string) => `while [ ! -e ${join(dir, name)} ]; do sleep 0.1; done`;
    const jobs = [
      { stage: "first", name: "one", commands: ["seq -f 'line %.0f' 300", until("a")] },
      { stage: "then", name: "two", commands: ["echo from two", until("b")] },
    ];
    const { number } = created(await ann.post("/builds", { manifest: aManifest({ stages: ["first", "then"], jobs }) }));
    const page = await web.open(`/b/${ann.username}/${number}`, ann);
    await outputOf(page, "one").getByText("line 300", { exact: true }).waitFor();
    await read(page);
    await writeFile(join(dir, "a"), "");
    await page.getByRole("link", { name: /^two.*running$/ }).waitFor();
    expect(await outputOf(page, "one").count()).toBe(1);
    await page.evaluate("document.activeElement.blur()");
    await page.evaluate("scrollTo(0, document.body.scrollHeight)");
    await outputOf(page, "two").getByText("from two", { exact: true }).waitFor();
    await writeFile(join(dir, "b"), "");
    await page.locator(".summary").getByText("passed").waitFor();
    await rm(dir, { recursive: true });
  });

  const isInView = (page: Page, text: string | RegExp) =>
    eventually(async () => {
      const box = await page.locator(".log").getByText(text).last().boundingBox();
      const { height } = page.viewportSize()!;
      expect(box && box.y >= 0 && box.y + box.height <= height).toBe(true);
    });

  test("a failed build opens at the end of its output, and a button leads there from elsewhere", async () => {
    const ann = await web.ci.signUp();
    const jobs = [{ stage: "test", name: "unit", commands: ["seq -f 'line %.0f' 30000", "exit 3"] }];
    const { number, url } = created(await ann.post("/builds", { manifest: aManifest({ jobs }) }));
    await eventually(async () => expect((await ann.get(url)).json.status).toBe("failed"));
    const page = await web.open(`/b/${ann.username}/${number}`, ann);
    await isInView(page, "exit code 3");
    await page.getByRole("button", { name: "From the beginning" }).click();
    await page
      .locator(".toolbar")
      .getByText(/^\d+ lines$/)
      .waitFor();
    await page.evaluate("scrollTo(0, 0)");
    await page.getByRole("button", { name: "End", exact: true }).click();
    await isInView(page, "exit code 3");
    await page.goto(`${web.ci.url}/b/${ann.username}/${number}#unit:L20`);
    await page.reload();
    await isInView(page, /^line 1[0-9]$/);
  });

  test("the page follows the output of a service, which arrives long after its job has passed", async () => {
    const ann = await web.ci.signUp();
    const driver = { type: "docker", image: "none", workspace: "/w" };
    const services = [{ name: "db", image: "none" }];
    const { number, url } = created(await ann.post("/builds", { manifest: aManifest({ driver, services }) }));
    await using peer = connect(web.ci.addresses.builds);
    const queue = leased(peer.client(QueueServiceDefinition));
    const { assignment } = await queue.claimBuild({ runnerId: "r", drivers: ["docker"] });
    const { buildId, epoch, jobs } = assignment!;
    const ready = "Service db is ready\n";
    for (const [job, text] of [
      [jobs[0]!, ""],
      [jobs[1]!, ready],
    ] as const)
      await queue.finishJob({ buildId, epoch, jobId: job.id, outcome: "passed", text, offset: 0, placedObjectIds: [] });
    const page = await web.open(`/b/${ann.username}/${number}#service.db`, ann);
    await outputOf(page, "service.db").getByText("Service db is ready").waitFor();
    await page.getByRole("link", { name: /^service\.db.*passed$/ }).waitFor();
    const text = Array.from({ length: 300 }, (_, nth) => `line ${nth + 1}\n`).join("");
    const piece = { buildId, epoch, jobId: jobs[1]!.id, text, offset: 0, jobOffset: ready.length };
    await queue.appendOutput(piece);
    await isInView(page, "line 300");
    await queue.returnBuild({ buildId, epoch });
    await ann.delete(url);
  });

  test.each([1, 40])("the page of a build with %d jobs follows output that comes in bursts", async (count) => {
    const ann = await web.ci.signUp();
    const driver = { type: "docker", image: "none", workspace: "/w" };
    const all = Array.from({ length: count }, (_, nth) => ({ stage: "test", name: `job${nth}`, commands: ["x"] }));
    const { number, url } = created(await ann.post("/builds", { manifest: aManifest({ driver, jobs: all }) }));
    await using peer = connect(web.ci.addresses.builds);
    const queue = leased(peer.client(QueueServiceDefinition));
    const { assignment } = await queue.claimBuild({ runnerId: "r", drivers: ["docker"] });
    const { buildId, epoch, jobs } = assignment!;
    const jobId = jobs[0]!.id;
    const viewport = { width: 1280, height: 800 };
    const page = await web.open(`/b/${ann.username}/${number}#create-driver`, ann, { viewport });
    await outputOf(page, "create-driver").getByText("Nothing was printed yet.").waitFor();
    let offset = 0;
    for (let line = 11; line <= 440; line += 11) {
      const text = Array.from({ length: 11 }, (_, nth) => `line ${line - 10 + nth}\n`).join("");
      await queue.appendOutput({ buildId, epoch, jobId, text, offset, jobOffset: offset });
      offset += text.length;
      await isInView(page, `line ${line}`);
    }
    await queue.returnBuild({ buildId, epoch });
    await ann.delete(url);
  });

  test("a page whose output fits the window does not scroll to its end", async () => {
    const ann = await web.ci.signUp();
    const jobs = [{ stage: "test", name: "unit", commands: ["exit 3"] }];
    const { number, url } = created(await ann.post("/builds", { manifest: aManifest({ jobs }) }));
    await eventually(async () => expect((await ann.get(url)).json.status).toBe("failed"));
    const page = await web.open(`/b/${ann.username}/${number}`, ann, { viewport: { width: 1200, height: 700 } });
    await outputOf(page, "unit").getByText("Job failed: exit code 3").waitFor();
    expect(await page.evaluate("document.documentElement.scrollHeight > innerHeight")).toBe(true);
    expect(await page.evaluate("scrollY")).toBe(0);
  });

  test("on a phone, a page that follows a build stays at its top until the reader scrolls to the output", async () => {
    const ann = await web.ci.signUp();
    const jobs = Array.from({ length: 12 }, (_, nth) => ({
      stage: "test",
      name: `job${nth}`,
      commands: ["sleep 600"],
    }));
    const { number, url } = created(await ann.post("/builds", { manifest: aManifest({ jobs }) }));
    const page = await web.open(`/b/${ann.username}/${number}`, ann, { viewport: { width: 360, height: 700 } });
    await outputOf(page, "job0").getByText("+ sleep 600").waitFor({ state: "attached" });
    expect(await page.evaluate("scrollY")).toBe(0);
    await ann.delete(url);
  });

  test("on a phone, choosing a job shows its output", async () => {
    const ann = await web.ci.signUp();
    const names = Array.from({ length: 12 }, (_, nth) => `job${nth}`);
    const jobs = names.map((name) => ({ stage: "test", name, commands: [`echo from ${name}`] }));
    const { number, url } = created(await ann.post("/builds", { manifest: aManifest({ jobs }) }));
    await eventually(async () => expect((await ann.get(url)).json.status).toBe("passed"));
    const page = await web.open(`/b/${ann.username}/${number}`, ann, { viewport: { width: 360, height: 700 } });
    for (const name of ["job3", "job3", "job4"]) {
      await page.evaluate("scrollTo(0, 0)");
      await page.getByRole("navigation", { name: "Jobs" }).getByRole("link", { name }).click();
      await isInView(page, `from ${name}`);
    }
  });

  test("a repeated search of an output that grows finds what was printed since", async () => {
    const ann = await web.ci.signUp();
    const dir = sharedFolder("ci-web-search-");
    const script = `set +x; echo needle 1; while [ ! -e ${join(dir, "a")} ]; do sleep 0.1; done; echo needle 2; sleep 600`;
    const jobs = [{ stage: "test", name: "unit", commands: [script] }];
    const { number, url } = created(await ann.post("/builds", { manifest: aManifest({ jobs }) }));
    const page = await web.open(`/b/${ann.username}/${number}`, ann);
    const lines = page.getByRole("region", { name: "Lines of unit" });
    await lines.getByText("needle 1", { exact: true }).waitFor();
    const search = page.getByLabel("Search the output");
    const status = page.locator(".toolbar");
    await search.fill("needle");
    await search.press("Enter");
    const count = Number(/of (\d+) lines?/.exec((await status.getByText(/^1 of/).textContent())!)![1]);
    await writeFile(join(dir, "a"), "");
    await lines.getByText("needle 2", { exact: true }).waitFor();
    for (let nth = 1; nth < count; nth++) await search.press("Enter");
    await status.getByText(`${count} of ${counted(count, "line")}`).waitFor();
    await search.press("Enter");
    await status.getByText(`${count + 1} of ${count + 1} lines`).waitFor();
    await page.locator(".marked").getByText("needle 2", { exact: true }).waitFor();
    await search.press("Enter");
    await status.getByText(`1 of ${count + 1} lines`).waitFor();
    await ann.delete(url);
    await rm(dir, { recursive: true });
  });
});
