import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { aManifest } from "@ci/testkit/builders";
import { created } from "@ci/testkit/constellation";
import { sharedFolder } from "@ci/testkit/shared-folder";
import type { Page } from "playwright-core";
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
});
