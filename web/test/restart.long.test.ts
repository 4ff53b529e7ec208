import { aManifest } from "@ci/testkit/builders";
import { created, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { inBrowser, violations } from "./_browser.js";

inBrowser((web) => {
  const finished = (user: SignedUp, url: string) =>
    eventually(async () => expect((await user.get(url)).json.finished_at).not.toBeNull());

  test("a build is restarted with other variables, and the new one leads to it", async () => {
    const ann = await web.ci.signUp();
    const jobs = [{ stage: "test", name: "unit", commands: ["echo $LEVEL-$SIZE"] }];
    const variables = { LEVEL: "low", SIZE: "big" };
    const { number, url } = created(await ann.post("/builds", { manifest: aManifest({ jobs }), variables }));
    await finished(ann, url);
    const page = await web.open(`/b/${ann.username}/${number}`, ann);
    await page.getByText("Restart with other variables").press("Enter");
    await page.getByLabel(/^Variables of the new build/).fill("LEVEL=high");
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Restart the build" }).click();
    await page.waitForURL(`${web.ci.url}/b/${ann.username}/${number + 1}`);
    await page.getByRole("region", { name: "Lines of unit" }).getByText("high-big", { exact: true }).waitFor();
    await page.getByRole("region", { name: "About this build" }).getByRole("link", { name: url }).click();
    await page.waitForURL(`${web.ci.url}/b/${ann.username}/${number}`);
  });

  test("all builds of a matrix are killed and restarted from the page of one", async () => {
    const ann = await web.ci.signUp();
    const jobs = [{ stage: "test", commands: ["sleep 600"] }];
    const manifest = aManifest({ matrix: { LEVEL: ["low", "high"] }, jobs });
    const { number, url } = created(await ann.post("/builds", { manifest }));
    const page = await web.open(`/b/${ann.username}/${number}`, ann);
    const kill = page.getByRole("button", { name: "Kill all builds of the matrix" });
    const killed = page.getByRole("navigation", { name: "Builds of the matrix" }).getByRole("link", { name: /killed/ });
    const killAll = async () => {
      await kill.click();
      await kill.waitFor({ state: "detached" });
      expect(await killed.count()).toBe(2);
    };
    await killAll();
    await page.getByText("Restart with other variables, or all builds of the matrix").press("Enter");
    await page.getByLabel("Restart all builds of the matrix").check();
    await page.getByRole("button", { name: "Restart the build" }).click();
    await page.waitForURL(`${web.ci.url}/b/${ann.username}/${number + 2}`);
    await killAll();
    const builds = (await ann.get("/builds")).json as { trigger: { data: { restart_of?: string } } }[];
    expect(builds.map(({ trigger }) => trigger.data.restart_of)).toEqual([url, url, undefined, undefined]);
  });
});
