import { aManifest, aWord } from "@ci/testkit/builders";
import { created } from "@ci/testkit/constellation";
import { type OpenidProvider, openidProvider } from "@ci/testkit/openid-provider";
import type { Page } from "playwright-core";
import { complaintsOf, inBrowser, violations } from "./_browser.js";

let provider: OpenidProvider;
const settingsFor = async (publicUrl: string) => {
  provider = await openidProvider(publicUrl);
  return { ...provider.settings, OIDC_NAME: "Example & Co", OIDC_CREATE_USERS: "true" };
};
afterAll(() => provider?.[Symbol.asyncDispose]());

const button = (page: Page) => page.getByRole("link", { name: "Sign in with Example & Co" });
async function signIn(page: Page, login: string): Promise<void> {
  await button(page).click();
  await page.getByLabel("Login").fill(login);
  await page.getByRole("button", { name: "Continue" }).click();
}

inBrowser((web) => {
  test("a person signs in at the provider, and sees the build that they opened, also after going back and reloading", async () => {
    const ann = await web.ci.signUp();
    const { name } = created(await ann.post("/namespaces", { name: aWord("ns"), visibility: "internal" }));
    const build = created(await ann.post("/builds", { manifest: aManifest({ namespace: name }) }));
    const page = await web.open(build.url.slice(web.ci.url.length));
    await page.getByRole("main").getByRole("link", { name: "Sign in" }).click();
    await signIn(page, aWord("pat"));
    const heading = page.getByRole("heading", { level: 1, name: /#1$/ });
    await page.waitForURL(build.url);
    await heading.waitFor();
    const complaints = complaintsOf(page);
    await page.reload();
    await heading.waitFor();
    await page.getByRole("link", { name: "Namespaces" }).click();
    await page.getByRole("heading", { level: 1, name: "Namespaces" }).waitFor();
    await page.goBack();
    await heading.waitFor();
    expect(complaints).toEqual([]);
  });

  test("signing out ends the session, and signing in again is one click while the provider remembers", async () => {
    const login = aWord("pat");
    const page = await web.open("/-/sign-in");
    await signIn(page, login);
    await page.getByRole("banner").getByText(login).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await button(page).waitFor();
    await page.goto(`${web.ci.url}/builds`);
    await page.getByText("You are not signed in").waitFor();
    await page.getByRole("main").getByRole("link", { name: "Sign in" }).click();
    await button(page).click();
    await page.getByRole("banner").getByText(login).waitFor();
  });

  test("a user connects an identity on the page of sessions, and disconnects it there", async () => {
    const [ann, login] = [await web.ci.signUp(), aWord("ann")];
    const page = await web.open("/user/sessions", ann);
    await page.getByRole("link", { name: "Connect Example & Co" }).click();
    await page.getByLabel("Login").fill(login);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.waitForURL(`${web.ci.url}/user/sessions`);
    await page.getByText(login, { exact: true }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Disconnect" }).click();
    await page.getByText(login, { exact: true }).waitFor({ state: "detached" });
  });

  test("a refusal of the provider is explained, and the page leads there again", async () => {
    const page = await web.open("/-/sign-in");
    await button(page).click();
    await page.getByRole("button", { name: "Refuse" }).click();
    await page.getByText("The provider has refused the sign-in.").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.goto(`${web.ci.url}/-/sign-in?problem=unavailable`);
    await page.getByText("The provider cannot be reached.").waitFor();
    await button(page).click();
    await page.getByLabel("Login").waitFor();
  });
}, settingsFor);
