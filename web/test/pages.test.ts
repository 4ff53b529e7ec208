import { aManifest, aWord } from "@ci/testkit/builders";
import { created, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { inBrowser, violations, violationsInBothSchemes } from "./_browser.js";

inBrowser((web) => {
  let ann: SignedUp;
  let newcomer: SignedUp;
  let namespace: string;
  /** Addresses by what they show. */
  const places: Record<string, string> = {};

  beforeAll(async () => {
    [ann, newcomer] = await Promise.all([web.ci.signUp(), web.ci.signUp()]);
    namespace = aWord("ns");
    const submit = async (commands: string[], more = {}) =>
      created(
        await ann.post("/builds", { manifest: aManifest({ namespace, jobs: [{ stage: "test", commands }], ...more }) }),
      );
    const passed = await submit(["printf '\\033[32mgreen\\033[0m\\n'"], {});
    const failed = await submit(["echo no; exit 3"]);
    const queued = await submit(["echo"], { driver: { type: "qemu", image: "none" } });
    const variable = created(await ann.post("/variables", { namespace, key: "TOKEN", value: "secret1", mask: true }));
    created(await ann.post("/variables", { namespace, key: "LEVEL", value: "debug" }));
    const key = created(await ann.post("/tokens", { name: "other", scope: "build:read" }));
    for (const build of [passed, failed])
      await eventually(async () => expect((await ann.get(build.url)).json.finished_at).not.toBeNull());
    const below = (url: string) => url.slice(web.ci.url.length);
    Object.assign(places, {
      "sign in": "/-/sign-in",
      builds: "/builds",
      "builds of a namespace": `/builds?namespace=${ann.username}/${namespace}&status=passed`,
      "no build": "/builds?tag=none",
      "a build that passed": below(passed.url),
      "a build that failed": below(failed.url),
      "a queued build": below(queued.url),
      "the variables of a build": below(passed.variables_url),
      "a new build": "/-/new-build",
      namespaces: "/namespaces",
      "a namespace": `/n/${ann.username}/${namespace}`,
      sessions: "/user/sessions",
      tokens: "/tokens",
      "a variable": below(variable.url),
      "something that cannot be read": below(key.url),
      "a user": "/user",
      "something that does not exist": "/b/nobody/7",
      "an unknown address": "/nothing/here",
    });
  });

  const shown = [
    ["sign in", "Sign in to Service CI"],
    ["builds", "Builds"],
    ["builds of a namespace", "Builds"],
    ["no build", "Builds"],
    ["a build that passed", /#1$/],
    ["a build that failed", /#2$/],
    ["a queued build", /#3$/],
    ["the variables of a build", "Variables"],
    ["a new build", "New build"],
    ["namespaces", "Namespaces"],
    ["a namespace", /^ns/],
    ["sessions", "Sessions"],
    ["tokens", "Tokens"],
    ["a variable", "Variable TOKEN"],
    ["something that cannot be read", "This did not work"],
    ["a user", "Your account"],
    ["something that does not exist", "Not found"],
    ["an unknown address", "Not found"],
  ] as const;

  test("every page has its heading, breaks no rule of axe in light or dark, and fits a phone", async () => {
    const page = await web.open("/builds", ann);
    for (const [what, name] of shown) {
      await page.setViewportSize({ width: 1280, height: 700 });
      await page.goto(web.ci.url + places[what]);
      await page.getByRole("heading", { level: 1, name }).waitFor();
      await page.getByText("Loading …").waitFor({ state: "detached" });
      const violated = await violationsInBothSchemes(page);
      await page.setViewportSize({ width: 360, height: 700 });
      const width = await page.evaluate("document.documentElement.scrollWidth");
      expect([what, violated, width]).toEqual([what, [], 360]);
    }
  });

  test("a newcomer is told what to do", async () => {
    const page = await web.open("/builds", newcomer);
    await page.getByText("There are no builds yet.").waitFor();
    await page.getByRole("link", { name: "Namespaces" }).click();
    await page.getByText("You have no namespaces yet.").waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test("a page after the last one of a list leads to the first", async () => {
    for (const list of ["/builds", "/variables", `/n/${ann.username}/${namespace}/-/webhooks`]) {
      const page = await web.open(`${list}?page=99`, ann);
      await page.getByText("The list ends before this page.").waitFor();
      await page.getByRole("link", { name: "Show its first page" }).click();
      await page.getByText("The list ends before this page.").waitFor({ state: "detached" });
      expect(page.url()).toContain(`${list}?page=1`);
    }
  });

  test("filters are chosen by keyboard, and are in the address, so that the way back works", async () => {
    const page = await web.open("/builds", ann);
    const status = page.getByRole("combobox", { name: "Status" });
    await status.focus();
    for (const value of ["queued", "running", "passed", "passed_with_failures", "failed"]) {
      await page.keyboard.press("ArrowDown");
      expect([await status.inputValue(), page.url()]).toEqual([value, `${web.ci.url}/builds`]);
    }
    await page.getByRole("button", { name: "Filter" }).press("Enter");
    await page.waitForURL(/\?status=failed$/);
    await page.getByRole("link", { name: /#2$/ }).waitFor();
    expect(await page.locator(".rows > .row").count()).toBe(1);
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Filter");
    await page.goBack();
    await page.getByRole("link", { name: /#1$/ }).waitFor();
    expect(await status.inputValue()).toBe("");
    await page.goForward();
    await eventually(async () => expect(await status.inputValue()).toBe("failed"));
  });

  test("the filter by namespace accepts both notations, and ignores no other text", async () => {
    const page = await web.open("/builds", ann);
    const field = page.getByRole("textbox", { name: "Namespace" });
    const filterBy = async (text: string) => {
      await field.fill(text);
      await field.press("Enter");
      await page.waitForURL((url) => url.searchParams.get("namespace") === text);
    };
    await filterBy(namespace);
    await page.getByText("Name the namespace with its owner: user/path or path@user.").waitFor();
    expect(await page.locator(".rows > .row").count()).toBe(0);
    for (const text of [`${namespace}@${ann.username}`, `${ann.username}/${namespace}`]) {
      await filterBy(text);
      await page.getByRole("link", { name: /#1$/ }).waitFor();
    }
  });

  test("long names and the links of an administrator fit the narrowest screen", async () => {
    const admin = web.ci.admin as SignedUp;
    const manifest = aManifest({ namespace: `${"n".repeat(64)}/${"m".repeat(64)}` });
    const build = created(await admin.post("/builds", { manifest, tags: ["t".repeat(100)] }));
    expect((await admin.patch(build.namespace.url, { description: "d".repeat(255) })).status).toBe(200);
    const page = await web.open("/builds", admin, { viewport: { width: 320, height: 700 } });
    for (const [url, text] of [
      [`${web.ci.url}/builds`, /t{100}/],
      [build.url, /t{100}/],
      [build.namespace.url, /d{255}/],
    ]) {
      await page.goto(url);
      await page.getByText(text).first().waitFor();
      await page.getByRole("link", { name: "Operate" }).waitFor();
      expect([url, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([url, 320]);
    }
  });

  test("a new build appears in the list without a reload", async () => {
    const page = await web.open("/builds", newcomer);
    await page.getByText("There are no builds yet.").waitFor();
    created(await newcomer.post("/builds", { manifest: aManifest() }));
    await page.getByRole("link", { name: /#1$/ }).waitFor();
  });

  test("without a session the page leads to signing in and back, by keyboard alone", async () => {
    const page = await web.open("/namespaces");
    await page.getByRole("heading", { level: 1, name: "Sign in first" }).waitFor();
    await page.getByRole("main").getByRole("link", { name: "Sign in" }).focus();
    await page.keyboard.press("Enter");
    await page.getByLabel("Access token").focus();
    await page.keyboard.type("wrong");
    await page.keyboard.press("Enter");
    await page.getByText("This token is not valid.").waitFor();
    await page.getByLabel("Access token").fill(ann.token);
    await page.keyboard.press("Enter");
    await page.waitForURL(`${web.ci.url}/namespaces`);
    await page.getByRole("link", { name: namespace }).waitFor();
  });

  test("a session can be ended from another browser, and signing out ends one's own", async () => {
    const [here, there] = [await web.open("/user/sessions", newcomer), await web.open("/builds", newcomer)];
    await here.reload();
    const others = here.getByRole("button", { name: "End" });
    await others.first().waitFor();
    const count = await others.count();
    await others.first().click();
    await eventually(async () => expect(await others.count()).toBe(count - 1));
    await there.reload();
    await there.getByText("You are not signed in").waitFor();
    await here.getByRole("button", { name: "Sign out" }).click();
    await here.getByRole("heading", { name: "Sign in" }).waitFor();
    await here.goto(`${web.ci.url}/builds`);
    await here.getByText("You are not signed in").waitFor();
  });

  test("a masked variable is never shown", async () => {
    const page = await web.open(places["a namespace"]!, ann);
    await page.getByText("TOKEN").waitFor();
    expect(await page.content()).not.toContain("secret1");
    await page.getByText("debug").waitFor();
  });
});
