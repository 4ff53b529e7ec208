import { aManifest } from "@ci/testkit/builders";
import { created } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { inBrowser } from "./_browser.js";

const commands = (script: string) => aManifest({ jobs: [{ stage: "test", name: "unit", commands: [script] }] });

inBrowser((web) => {
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
});
