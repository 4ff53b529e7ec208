import { aWord } from "@ci/testkit/builders";
import { type Constellation, startConstellation } from "@ci/testkit/constellation";
import { type OpenidProvider, openidProvider } from "@ci/testkit/openid-provider";
import { suite } from "@ci/testkit/suite";
import { openidBrowser } from "./_openid-browser.js";

const names = suite();
let ci: Constellation;
let provider: OpenidProvider;

beforeAll(async () => {
  provider = await openidProvider("http://ci.test/api");
  await provider.stop();
  ci = await startConstellation(names, { settings: provider.settings });
});
afterAll(async () => {
  await ci?.[Symbol.asyncDispose]();
  await provider?.[Symbol.asyncDispose]();
});

test("a gateway starts while the provider is away, and refuses to sign in until it is there", async () => {
  const browser = openidBrowser(ci, provider);
  expect((await browser.begin()).url.searchParams.get("problem")).toBe("unavailable");
  const { status, json } = await ci.as().get("/-/sign-in/oidc");
  expect([status, json]).toEqual([503, { message: "The OpenID Connect provider cannot be reached" }]);
  await provider.start();
  expect((await browser.begin()).text).toContain('name="login"');
});

test("nobody is signed in whom no user has connected, because OIDC_CREATE_USERS is off", async () => {
  await provider.start().catch(() => undefined);
  const browser = openidBrowser(ci, provider);
  const login = aWord("new");
  expect((await browser.signIn(login)).url.searchParams.get("problem")).toBe("unknown");
  expect((await browser.api("GET", "/user")).status).toBe(401);
  expect((await ci.admin.get(`/users?search=${login}`)).json).toEqual([]);
});
