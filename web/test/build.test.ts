import { readFileSync } from "node:fs";
import { aManifest } from "@ci/testkit/builders";
import { created } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { complaintsOf, inBrowser } from "./_browser.js";

const commands = (...lines: string[]) => aManifest({ jobs: [{ stage: "test", name: "unit", commands: lines }] });

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

  test("mistakes of a manifest stand at their lines", async () => {
    const page = await web.open("/-/new-build", await web.ci.signUp());
    await page
      .getByLabel("Manifest")
      .fill("driver:\n  type: os\nstages: [test]\njobs:\n- stage: other\n  commands: [x]\n");
    await page
      .getByRole("button", { name: /^Line \d+$/ })
      .first()
      .click();
    expect(await page.evaluate("document.activeElement.id")).toBe("manifest");
    await page.getByRole("button", { name: "Submit the build" }).click();
    await page.getByRole("alert").waitFor();
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

  test("of much output the end is shown first, and all of it on demand", async () => {
    const ann = await web.ci.signUp();
    const build = created(await ann.post("/builds", { manifest: commands("seq -f 'line number %.0f' 100000") }));
    await eventually(async () => expect((await ann.get(build.url)).json.status).toBe("passed"));
    const page = await web.open(`/b/${ann.username}/${build.number}`, ann);
    const last = page.getByText("line number 100000", { exact: true });
    await last.waitFor({ state: "attached" });
    await page.getByText(/The first .* are not shown/).waitFor();
    expect(await page.locator(".line").count()).toBeLessThan(20_000);
    await page.getByRole("button", { name: "Show all" }).click();
    await page.getByText(/^10000\d lines$/).waitFor();
    expect(await page.locator(".line a").count()).toBeGreaterThan(99_999);
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
