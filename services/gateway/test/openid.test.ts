import { aWord } from "@ci/testkit/builders";
import { type Constellation, created, startConstellation } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { type OpenidProvider, openidProvider } from "@ci/testkit/openid-provider";
import { suite } from "@ci/testkit/suite";
import { type OpenidBrowser, openidBrowser } from "./_openid-browser.js";

const names = suite();
let ci: Constellation;
let provider: OpenidProvider;
let browser: OpenidBrowser;

beforeAll(async () => {
  provider = await openidProvider("http://ci.test/api");
  const settings = {
    ...provider.settings,
    ...{ OIDC_CREATE_USERS: "true", OIDC_GROUP_NAMESPACES: "devs=olga/team", OIDC_NAME: "Example <SSO>" },
  };
  ci = await startConstellation(names, { settings });
});
afterAll(async () => {
  await ci?.[Symbol.asyncDispose]();
  await provider?.[Symbol.asyncDispose]();
});
beforeEach(() => {
  browser = openidBrowser(ci, provider);
});

const problemAt = ({ url }: { url: URL }) => [url.pathname, url.searchParams.get("problem")];
const problem = (name: string) => ["/api/-/sign-in", name];
const entries = async (action: string) => (await ci.admin.get(`/audit?action=${action}`)).json;

describe("signing in with OpenID Connect", () => {
  test("leads to the provider and back to the page where it began, with a session of a new user", async () => {
    const login = aWord("ada");
    provider.claims.set(login, { email: `${login}@example.org`, email_verified: true });
    const shown = await browser.signIn(login, `?next=${encodeURIComponent("/api/b/ada/7?x=1#unit:L12")}`);
    expect(shown.url.href).toBe("http://ci.test/api/b/ada/7?x=1#unit:L12");
    expect((await browser.api("GET", "/user")).json).toMatchObject({
      ...{ username: login, email: `${login}@example.org`, admin: false },
    });
    const [session] = (await browser.api("GET", "/user/sessions")).json;
    expect(session).toMatchObject({ current: true, address: "127.0.0.1" });
    expect((await browser.api("POST", "/user/sign-in-links")).status).toBe(201);
    expect((await browser.api("GET", "/users")).json).toEqual({ message: "Token lacks permission user:read" });
    expect([...browser.cookies().keys()]).toEqual(["ci_session"]);
    expect(browser.cookies().get("ci_session")).toMatchObject({ strict: true, path: "/api" });
  });

  test("is the same user's the second time, also in another browser", async () => {
    const login = aWord("bob");
    await browser.signIn(login);
    const { id } = (await browser.api("GET", "/user")).json;
    expect((await browser.api("DELETE", "/session")).status).toBe(204);
    expect((await browser.api("GET", "/user")).status).toBe(401);
    expect((await browser.begin()).url.href).toBe("http://ci.test/api/builds");
    const other = openidBrowser(ci, provider);
    await other.signIn(login);
    for (const one of [browser, other]) expect((await one.api("GET", "/user")).json.id).toBe(id);
  });

  test("never signs in as another user who has the claimed name", async () => {
    const owner = await ci.signUp();
    const admin = await browser.signIn(owner.username);
    expect(admin.url.pathname).toBe("/api/builds");
    const user = (await browser.api("GET", "/user")).json;
    expect([user.username, user.id === owner.id]).toEqual([`${owner.username}-2`, false]);
  });

  test("takes no address that the provider has not verified", async () => {
    const login = aWord("ada");
    provider.claims.set(login, { email: `${login}@example.org`, email_verified: false });
    await browser.signIn(login);
    expect((await browser.api("GET", "/user")).json.email).toBe(`${login}@oidc.invalid`);
  });

  test("follows the groups of the provider", async () => {
    const [login, olga] = [aWord("dev"), await ci.signUp("olga")];
    created(await olga.post("/namespaces", { name: "team" }));
    const reach = async (groups: string[]) => {
      provider.claims.set(login, { groups });
      await browser.signIn(login);
      return (await browser.api("GET", "/n/olga/team")).status;
    };
    expect(await reach(["devs", "others"])).toBe(200);
    expect(await reach(["others"])).toBe(404);
  });

  test("asks the provider with PKCE, a state and a nonce, which are new each time", async () => {
    const asked = async () => (await browser.open(`${ci.url}/-/sign-in/oidc`, { stopAt: "/auth?" })).url.searchParams;
    const [first, second] = [await asked(), await asked()];
    expect(Object.fromEntries(first)).toMatchObject({
      ...{ client_id: "service-ci", response_type: "code", scope: "openid profile email" },
      ...{ redirect_uri: `${ci.url}/-/sign-in/oidc/callback`, code_challenge_method: "S256" },
    });
    for (const name of ["state", "nonce", "code_challenge"]) {
      expect(first.get(name)).toHaveLength(43);
      expect(first.get(name)).not.toBe(second.get(name));
    }
  });

  test.each(["https://evil.example/api/", "//evil.example/api/", "/\\evil.example", "/elsewhere"])(
    "leads to the list of builds instead of %s",
    async (next) => {
      const { url } = await browser.signIn(aWord("eve"), `?next=${encodeURIComponent(next)}`);
      expect(url.href).toBe("http://ci.test/api/builds");
    },
  );

  test("is in the audit log", async () => {
    const login = aWord("log");
    await browser.signIn(login);
    await eventually(async () =>
      expect((await entries("finishSignIn"))[0]).toMatchObject({
        ...{ username: login, kind: "session", status: 303, outcome: "done", path: "/-/sign-in/oidc/callback" },
        token_name: expect.stringMatching(/^OpenID Connect /),
      }),
    );
  });
});

describe("a sign-in is refused", () => {
  test("with a state that is not the browser's", async () => {
    const callback = await browser.callbackFor(aWord("eve"));
    const changed = callback.replace(/state=./, (start) => (start === "state=A" ? "state=B" : "state=A"));
    expect(problemAt(await browser.open(changed))).toEqual(problem("expired"));
    expect(problemAt(await browser.open(callback))).toEqual(problem("expired"));
    expect((await browser.api("GET", "/user")).status).toBe(401);
  });

  test("in another browser than the one where it began", async () => {
    const callback = await browser.callbackFor(aWord("eve"));
    expect(problemAt(await openidBrowser(ci, provider).open(callback))).toEqual(problem("expired"));
  });

  test("with a cookie that was changed", async () => {
    const callback = await browser.callbackFor(aWord("eve"));
    const kept = browser.cookies().get("ci_sign_in")!;
    const value = kept.value.replace(/.{9}$/, "AAAAAAAA=");
    browser.cookies().set("ci_sign_in", { ...kept, value });
    expect(problemAt(await browser.open(callback))).toEqual(problem("expired"));
  });

  test("if the answer of the provider is used twice", async () => {
    const callback = await browser.callbackFor(aWord("eve"));
    const kept = browser.cookies().get("ci_sign_in")!;
    expect((await browser.open(callback)).url.pathname).toBe("/api/builds");
    expect(problemAt(await browser.open(callback))).toEqual(problem("expired"));
    browser.cookies().set("ci_sign_in", kept);
    expect(problemAt(await browser.open(callback))).toEqual(problem("failed"));
  });

  test("if the user refuses at the provider, and the page leads back to where it began", async () => {
    const asked = await browser.begin("?next=/api/namespaces");
    const { url } = await browser.answer(asked, { refuse: "1" });
    expect(problemAt({ url })).toEqual(problem("denied"));
    expect(url.searchParams.get("next")).toBe("/api/namespaces");
  });

  test("with JSON for programs", async () => {
    const { status, json } = await ci.as().get("/-/sign-in/oidc/callback?state=x");
    expect([status, json.message]).toEqual([401, expect.stringMatching(/^The sign-in is older than ten minutes/)]);
  });

  test("while the provider is away, and works again when it is back", async () => {
    const login = aWord("late");
    const callback = await browser.callbackFor(login);
    await provider.stop();
    expect(problemAt(await browser.open(callback))).toEqual(problem("unavailable"));
    await provider.start();
    expect((await browser.signIn(login)).url.pathname).toBe("/api/builds");
    await eventually(async () => expect((await entries("finishSignIn"))[0]).toMatchObject({ username: login }));
  });
});

describe("an identity", () => {
  test("is connected to the user of a session, who then signs in with it", async () => {
    const ann = await ci.signUp();
    const login = aWord("ann");
    await browser.open(`${ci.url}/-/sign-in`);
    const session = await ci.as().send("POST", "/session", { json: { token: ann.token } });
    const value = /^ci_session=([^;]+)/.exec(session.headers["set-cookie"]!.toString())![1]!;
    browser.cookies().set("ci_session", { value, path: "/api", strict: true });
    const { url } = await browser.signIn(login, "?intent=connect&next=/api/user/sessions");
    expect(url.href).toBe("http://ci.test/api/user/sessions");
    expect((await browser.api("GET", "/user/identities")).json).toEqual([
      expect.objectContaining({ user_id: ann.id, issuer: provider.issuer, subject: login, last_used_at: null }),
    ]);
    const other = openidBrowser(ci, provider);
    await other.signIn(login);
    expect((await other.api("GET", "/user")).json).toMatchObject({ id: ann.id });

    const [{ id }] = (await other.api("GET", "/user/identities")).json;
    expect((await ann.delete(`/user/identities/${id}`)).status).toBe(204);
    expect((await other.api("GET", "/user")).status).toBe(401);
    expect((await browser.api("GET", "/user")).status).toBe(200);
    expect((await ann.delete(`/user/identities/${id}`)).status).toBe(404);
  });

  test("of another user is not connected", async () => {
    const [login, other] = [aWord("one"), aWord("two")];
    await openidBrowser(ci, provider).signIn(other);
    await browser.signIn(login);
    browser.forgetProvider();
    const { url } = await browser.signIn(other, "?intent=connect");
    expect(problemAt({ url })).toEqual(["/api/user/sessions", "taken"]);
    expect((await browser.api("GET", "/user/identities")).json).toHaveLength(1);
  });

  test("is not connected without a session", async () => {
    const { url } = await browser.begin("?intent=connect");
    expect(problemAt({ url })).toEqual(problem("session"));
  });

  test("is not connected once the session has ended", async () => {
    await browser.signIn(aWord("one"));
    browser.forgetProvider();
    const callback = await browser.callbackFor(aWord("two"), "?intent=connect");
    await browser.api("DELETE", "/session");
    expect(problemAt(await browser.open(callback))).toEqual(["/api/user/sessions", "session"]);
  });
});
