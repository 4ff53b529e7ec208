import { created } from "@ci/testkit/constellation";
import { inBrowser } from "./_browser.js";

inBrowser((web) => {
  test("the page asks before somebody else's link replaces a session", async () => {
    const [ann, bob] = [await web.ci.signUp(), await web.ci.signUp()];
    const page = await web.open("/user", ann);
    await page.getByRole("main").getByText(ann.username).first().waitFor();
    const { url } = created(await bob.post("/user/sign-in-links"));
    await page.goto(url);
    await page.getByText(`You are signed in as ${ann.username}`).waitFor();
    expect(page.url()).not.toContain("#");
    const current = () => page.evaluate("fetch('/api/user').then((response) => response.json())");
    expect(await current()).toMatchObject({ username: ann.username });
    await page.getByRole("button", { name: "Use the link" }).click();
    await page.waitForURL(/\/builds$/);
    expect(await current()).toMatchObject({ username: bob.username });
  });
});
