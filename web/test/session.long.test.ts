import { aManifest } from "@ci/testkit/builders";
import { created, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import type { Page } from "playwright-core";
import { inBrowser, setHidden, violations } from "./_browser.js";

const notice = (page: Page) => page.getByRole("alert").filter({ hasText: "your session has ended" });
const signOut = (page: Page) => page.getByRole("button", { name: "Sign out" });
const remembered = (page: Page) => page.evaluate("localStorage.getItem('service-ci-user')");

inBrowser((web) => {
  /** Ends the sessions of all other browsers of a user. */
  async function endOthers(user: SignedUp): Promise<void> {
    const page = await web.open("/user/sessions", user);
    const others = page.getByRole("button", { name: "End" });
    await others.first().click();
    await eventually(async () => expect(await others.count()).toBe(0));
  }

  async function backBySignIn(page: Page, user: SignedUp): Promise<void> {
    const address = page.url();
    await notice(page).first().getByRole("link", { name: "Sign in" }).click();
    await page.getByLabel("Access token").fill(user.token);
    await page.keyboard.press("Enter");
    await page.waitForURL(address);
    await signOut(page).waitFor();
  }

  test("a build whose session ends says so, forgets the user, and leads to signing in and back", async () => {
    const ann = await web.ci.signUp();
    const manifest = aManifest({ jobs: [{ stage: "test", name: "unit", commands: ["echo up", "sleep 600"] }] });
    const { number, url } = created(await ann.post("/builds", { manifest }));
    const page = await web.open(`/b/${ann.username}/${number}#unit`, ann);
    const up = page.getByRole("region", { name: "Lines of unit" }).getByText("up", { exact: true });
    await up.waitFor();
    await endOthers(ann);
    await notice(page).first().waitFor();
    await page.getByRole("banner").getByRole("link", { name: "Sign in" }).waitFor();
    expect(await remembered(page)).toBeNull();
    expect(await up.count()).toBe(1);
    expect(await violations(page)).toEqual([]);
    await page.getByRole("region", { name: "Output of unit" }).getByText("your session has ended").waitFor();
    expect(await page.getByText("Not live").count()).toBe(0);
    await backBySignIn(page, ann);
    await up.waitFor();
    await ann.delete(url);
  });

  test("a list whose stream is refused because its session has ended says so", async () => {
    const ann = await web.ci.signUp();
    created(await ann.post("/builds", { manifest: aManifest() }));
    const page = await web.open("/builds", ann);
    await page.getByRole("link", { name: /#1$/ }).waitFor();
    await endOthers(ann);
    await notice(page).waitFor();
    expect(await page.getByText("Not live").count()).toBe(0);
    await page.getByRole("link", { name: /#1$/ }).waitFor();
    await backBySignIn(page, ann);
  });

  test("a change that needs a session again leads to signing in", async () => {
    const ann = await web.ci.signUp();
    const page = await web.open("/variables", ann);
    await page.getByLabel("Name", { exact: true }).fill("LEVEL");
    await page.getByLabel("Value", { exact: true }).fill("debug");
    await endOthers(ann);
    await page.getByRole("button", { name: "Create the variable" }).click();
    await notice(page).waitFor();
    await page.getByRole("banner").getByRole("link", { name: "Sign in" }).waitFor();
  });

  test("what was typed into a form whose session ended is there after signing in again, but no secret, and only once", async () => {
    const ann = await web.ci.signUp();
    created(await ann.post("/cron", { name: "nightly", manifest: aManifest() }));
    const page = await web.open("/cron", ann);
    await page.getByText("New cron job").click();
    await page.getByLabel("Name", { exact: true }).fill("weekly");
    await page.getByLabel("Manifest").fill("driver:\n  type: os\nstag");
    await endOthers(ann);
    await page.getByRole("button", { name: "Create the cron job" }).click();
    await page.getByLabel("Time zone").fill("Europe/Berlin");
    await backBySignIn(page, ann);
    await eventually(async () => expect(await page.getByLabel("Time zone").inputValue()).toBe("Europe/Berlin"));
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("weekly");
    expect(await page.getByLabel("Manifest").inputValue()).toBe("driver:\n  type: os\nstag");
    await page.getByText(/mistakes?$/).waitFor();
    expect(await page.getByRole("option").count()).toBe(0);
    await page.reload();
    await page.getByText("New cron job").waitFor();
    expect(await page.getByLabel("Time zone").inputValue()).toBe("UTC");

    await page.goto(`${web.ci.url}/variables`);
    await page.getByLabel("Name", { exact: true }).fill("LEVEL");
    await page.getByLabel("Value", { exact: true }).fill("a secret");
    await page.getByLabel("Mask the value").check();
    await page.context().clearCookies();
    await page.getByRole("button", { name: "Create the variable" }).click();
    await notice(page).first().getByRole("link", { name: "Sign in" }).click();
    await page.getByLabel("Access token").fill(ann.token);
    expect(await page.evaluate("JSON.stringify(sessionStorage)")).not.toContain("a secret");
    await page.keyboard.press("Enter");
    await eventually(async () => expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("LEVEL"));
    expect(await page.getByLabel("Mask the value").isChecked()).toBe(true);
    expect(await page.getByLabel("Value", { exact: true }).inputValue()).toBe("");
    await signOut(page).click();
    await page.waitForURL(/sign-in$/);
    expect(await page.evaluate("sessionStorage.length")).toBe(0);
  });

  test("no address that may hold a secret is kept, and nothing for more than an hour", async () => {
    const ann = await web.ci.signUp();
    const page = await web.open("/images", ann);
    const kept = () => page.evaluate("String(sessionStorage.getItem('service-ci-fields'))");
    const form = page.locator("form").filter({ has: page.getByLabel("Address") });
    const [address, name] = [form.getByLabel("Address"), form.getByLabel("Name", { exact: true })];
    await address.fill("https://ann:password@127.0.0.1/image");
    await name.fill("my-image");
    await page.context().clearCookies();
    await page.getByRole("button", { name: "Download the image" }).click();
    await notice(page).first().getByRole("link", { name: "Sign in" }).click();
    await page.getByLabel("Access token").waitFor();
    expect(await kept()).toContain("my-image");
    expect(await kept()).not.toContain("password");
    await page.clock.setSystemTime(Date.now() + 61 * 60 * 1000);
    await page.getByLabel("Access token").fill(ann.token);
    await page.keyboard.press("Enter");
    await page.waitForURL(/images$/);
    await eventually(async () => expect(await kept()).not.toContain("my-image"));
    expect(await name.inputValue()).toBe("");
  });

  test("signing in from the head of a page leads back to it", async () => {
    const ann = await web.ci.signUp();
    const page = await web.open("/variables?search=a", ann);
    await page.context().clearCookies();
    await page.reload();
    await page.getByRole("banner").getByRole("link", { name: "Sign in" }).click();
    await page.getByLabel("Access token").fill(ann.token);
    await page.keyboard.press("Enter");
    await page.waitForURL(`${web.ci.url}/variables?search=a`);
  });

  test("signing out without a connection says that it failed, and keeps the user signed in", async () => {
    const ann = await web.ci.signUp();
    const page = await web.open("/namespaces", ann);
    await page.getByText("You have no namespaces yet.").waitFor();
    await page.context().setOffline(true);
    await signOut(page).click();
    await page.getByRole("banner").getByText("The server cannot be reached.").waitFor();
    expect(page.url()).toBe(`${web.ci.url}/namespaces`);
    expect(await remembered(page)).toBe(ann.username);
    expect(await violations(page)).toEqual([]);
    await page.context().setOffline(false);
    await signOut(page).click();
    await page.waitForURL(/sign-in$/);
    expect(await remembered(page)).toBeNull();
  });

  test("signing out succeeds if the session has already ended", async () => {
    const ann = await web.ci.signUp();
    const page = await web.open("/user", ann);
    await page.getByText(ann.email).waitFor();
    await endOthers(ann);
    await signOut(page).click();
    await page.waitForURL(/sign-in$/);
  });

  /** Opens a link to sign in, in another tab of a page's browser. */
  async function openLink(page: Page, user: SignedUp): Promise<Page> {
    const tab = await page.context().newPage();
    await tab.goto(created(await user.post("/user/sign-in-links")).url);
    return tab;
  }

  test("a page whose user another tab replaces loads again, and forgets what was typed for the first one", async () => {
    const [ann, bob] = [await web.ci.signUp(), await web.ci.signUp()];
    const page = await web.open("/variables", ann);
    await page.getByRole("banner").getByText(ann.username).waitFor();
    await page.getByLabel("Value", { exact: true }).fill("a secret of ann");
    const tab = await openLink(page, bob);
    await tab.getByRole("button", { name: "Use the link" }).click();
    await page.getByRole("banner").getByText(bob.username).waitFor();
    expect(await page.getByLabel("Value", { exact: true }).inputValue()).toBe("");
    expect(await remembered(page)).toBe(bob.username);
  });

  test("without storage, a page whose user was replaced loads again when it becomes visible", async () => {
    const [ann, bob] = [await web.ci.signUp(), await web.ci.signUp()];
    const page = await web.open("/variables", ann);
    await page.context().addInitScript("Object.defineProperty(window, 'localStorage', { value: undefined })");
    await page.reload();
    const banner = page.getByRole("banner");
    await banner.getByText(ann.username).waitFor();
    await setHidden(page, true);
    const tab = await openLink(page, bob);
    await tab.getByRole("banner").getByText(bob.username).waitFor();
    expect(await banner.getByText(ann.username).count()).toBe(1);
    await setHidden(page, false);
    await banner.getByText(bob.username).waitFor();
  });
});
