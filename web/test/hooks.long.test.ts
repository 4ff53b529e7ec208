import { aManifest, aWord } from "@ci/testkit/builders";
import { created, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { type GitServer, gitServer } from "@ci/testkit/git-server";
import { type Receiver, receiver } from "@ci/testkit/receiver";
import type { Page } from "playwright-core";
import { inBrowser, violations, violationsInBothSchemes } from "./_browser.js";
import { type Gitea, gitea } from "./_gitea.js";

const token = "a-token-of-gitea";
const job = { stage: "test", name: "unit", commands: ["cat */greeting"] };

inBrowser((web) => {
  let ann: SignedUp;
  let api: Gitea;
  let git: GitServer;
  let inbox: Receiver;
  beforeAll(async () => {
    ann = await web.ci.signUp();
    api = gitea(token);
    [git, inbox] = await Promise.all([gitServer({ answer: api.answer }), receiver()]);
  });
  afterAll(() => Promise.all([git[Symbol.asyncDispose](), inbox[Symbol.asyncDispose]()]));

  async function aNamespace() {
    const { name } = created(await ann.post("/namespaces", { name: aWord("ns") }));
    return { name, path: `/n/${ann.username}/${name}/-` };
  }

  /** A repository on the git server, with a manifest at its default branch. */
  async function aRepository(files: Record<string, string> = { ".service-ci.yml": aManifest({ jobs: [job] }) }) {
    const name = `octo/${aWord()}`;
    const { url, git: run, commit } = await git.repository(`${name}.git`);
    await run("symbolic-ref", "HEAD", "refs/heads/main");
    const sha = await commit({ ...files, greeting: "hello from the commit" });
    return { name, url, sha, commit };
  }

  const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true });

  test("three fields and one button connect a repository at Gitea, register its webhook and build it", async () => {
    const { path } = await aNamespace();
    const { name, url, sha, commit } = await aRepository();
    const page = await web.open(`${path}/repositories`, ann);
    await page.getByText("No repository is connected yet.").waitFor();
    const form = page.getByRole("region", { name: "Connect a repository" });
    expect(await form.locator("input, select, textarea").count()).toBeLessThanOrEqual(3);
    expect(await form.getByRole("button").count()).toBe(1);

    await page.getByLabel("Address of the repository").fill(url);
    await page.getByLabel("Access token").fill(token);
    await page.getByLabel("Access token").press("Enter");
    const done = page.getByRole("region", { name: `${name} is connected` });
    await done.getByText("The webhook is registered at Gitea").waitFor();
    await done.getByText("passed").waitFor();
    await done.getByRole("link", { name: /^a commit/ }).click();
    await page.getByRole("region", { name: "Lines of unit" }).getByText("hello from the commit").waitFor();
    await page.locator(".summary").getByText("passed").waitFor();
    await eventually(() =>
      expect(api.calls()).toEqual(
        expect.arrayContaining([`GET ${name}`, `POST ${name}/hooks`, `POST ${name}/statuses/${sha}`]),
      ),
    );

    await page.goBack();
    await page.getByRole("link", { name, exact: true }).click();
    await page.getByRole("heading", { level: 1, name }).waitFor();
    const next = await commit(
      { ".service-ci.yml": aManifest({ jobs: [job] }), greeting: "x" },
      undefined,
      "Greet less",
    );
    await api.push(name, next, "Greet less");
    const deliveries = page.getByRole("region", { name: "Deliveries" });
    await deliveries.getByRole("link", { name: /^push/ }).waitFor();
    await page.getByRole("link", { name: /^Greet less/ }).waitFor();
    await page.getByText("Run a build", { exact: true }).click();
    await page.getByLabel("Branch or tag").fill("main");
    await button(page, "Run").click();
    await page.locator(".summary").getByText("passed").waitFor();
    await page.goBack();
    await deliveries.getByRole("link", { name: /^run by hand/ }).waitFor();
    await button(page, "Disconnect this repository").click();
    await page.locator(".ask").getByRole("button", { name: "Disconnect this repository" }).click();
    await page.getByText("No repository is connected yet.").waitFor();
    await eventually(() => expect(api.hooksOf(name)).toEqual([]));
  });

  test("of many builds the first are shown, without their output, also if one cannot be read", async () => {
    const { path } = await aNamespace();
    const N = Array.from({ length: 26 }, (_, nth) => String(nth));
    const { name, url } = await aRepository({ ".service-ci.yml": aManifest({ jobs: [job], matrix: { N } }) });
    const page = await web.open(`${path}/repositories`, ann);
    const requested: string[] = [];
    const builds = /\/b\/[^/]+\/\d+(\?|$)/;
    await page.route(builds, (route) => {
      requested.push(route.request().url());
      if (route.request().url() === requested[0]) return route.fulfill({ status: 503, json: { message: "Busy" } });
      return route.continue();
    });
    await page.getByLabel("Address of the repository").fill(url);
    await page.getByLabel("Access token").fill(token);
    await button(page, "Connect").click();
    const done = page.getByRole("region", { name: `${name} is connected` });
    const rows = done.locator(".rows > li");
    await done.getByRole("alert").getByText("Busy").waitFor();
    await eventually(async () => expect(await rows.count()).toBe(24));
    await button(page, "Show more of the 26 builds").click();
    await eventually(async () => expect(await rows.count()).toBe(25));
    await page.unroute(builds);
    await eventually(async () => expect(await rows.count()).toBe(26));
    await eventually(async () => expect(await done.getByRole("alert").count()).toBe(0));
    expect(requested.filter((address) => !address.endsWith("?brief=true"))).toEqual([]);
  });

  test("a wrong token or address is refused with a next step, and what was typed stays", async () => {
    const { path } = await aNamespace();
    const { url } = await aRepository();
    const page = await web.open(`${path}/repositories`, ann);
    await page.getByLabel("Address of the repository").fill(url);
    await page.getByLabel("Access token").fill("wrong");
    await button(page, "Connect").click();
    await page.getByRole("alert").getByText("Check the address and the access token").waitFor();
    await page.getByLabel("Address of the repository").fill(url.replace("octo", "nobody"));
    await page.getByLabel("Hosted by").selectOption("gitea");
    await button(page, "Connect").click();
    await page.getByRole("alert").getByText("repository could not be read: 404").waitFor();
    expect(await page.getByLabel("Access token").inputValue()).toBe("wrong");
  });

  test("without a token the page shows what to paste where, and a token added later registers the webhook", async () => {
    const { path } = await aNamespace();
    const { name, url } = await aRepository({});
    const page = await web.open(`${path}/repositories`, ann);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByLabel("Address of the repository").fill(url);
    await page.getByLabel("Hosted by").selectOption("gitea");
    await button(page, "Connect").click();
    const done = page.getByRole("region", { name: `${name} is connected` });
    await done.getByText("no manifest at this commit").waitFor();
    await button(page, "Copy: Secret").click();
    await done.getByText("Secret copied.").waitFor();
    const copied = await page.evaluate("navigator.clipboard.readText()");
    expect(copied).toMatch(/^[\w-]{43}$/);
    const hookUrl = await page.getByLabel("Webhook URL", { exact: true }).inputValue();
    expect(await api.push(name, "0".repeat(40), "x", { url: hookUrl, secret: String(copied) })).toBe(202);
    expect(await violations(page)).toEqual([]);
    await page.reload();
    await page.getByText(/^last event /).waitFor();

    await page.getByRole("link", { name, exact: true }).click();
    await page.getByText("a branch or tag was deleted").waitFor();
    const steps = page.getByRole("region", { name: "Webhook at the provider" });
    await steps.getByText(/^The last event arrived /).waitFor();
    await page.locator(".facts .status-by_hand").waitFor({ state: "detached" });
    for (const text of ["If pushes start no builds any more, check the webhook", "The stored secret is never shown."])
      await steps.getByText(text).waitFor();
    await page.reload();
    await steps.getByText("no access token").waitFor();
    expect(await page.content()).not.toContain(copied);
    await page.getByText("Change", { exact: true }).click();
    await page.getByLabel("New access token").fill(token);
    await page.getByLabel("Builds of forks").selectOption("ignore");
    for (let reads = 0; reads < 2; reads++) await page.waitForResponse(/\/deliveries\?page=1$/);
    expect(await page.getByLabel("Builds of forks").inputValue()).toBe("ignore");
    await button(page, "Save").click();
    await page.getByText("Changed the repository.").waitFor();
    await page.getByText("are not submitted").first().waitFor();
    await page.locator(".facts .status-registered").waitFor();
    expect(await steps.count()).toBe(0);
    await button(page, "New secret").click();
    await page.getByText("It was also set at Gitea or Forgejo").waitFor();

    await page.getByRole("link", { name: /^first build/ }).click();
    await page.getByText("No build was triggered.").waitFor();
    await button(page, "Redeliver").click();
    await page.getByRole("heading", { name: /^Delivery \d+$/ }).waitFor();
    await page.getByRole("term").getByText("Repeats").waitFor();
    await page.reload();
    await page.getByRole("term").getByText("Repeats").waitFor();
  });

  test("a new secret for another member's repository says what it breaks, and asks first", async () => {
    const { path } = await aNamespace();
    const { name, url } = await aRepository();
    const bob = await web.ci.signUp();
    const { id } = created(await ann.post(`${path}/invites`, { handle: bob.username }));
    expect((await bob.patch(`/invites/${id}`)).status).toBe(200);
    const fields = { url, access_token: token, secret: "s" };
    const repository = created(await ann.post(`${path}/repositories`, fields));
    const place = `${path}/repositories/${repository.id}`;
    const page = await web.open(place, bob);
    const warning = page.getByText("become yours");
    await button(page, "Create a new secret").click();
    expect(await warning.textContent()).toBe(
      `The repository and its next builds become yours. ${ann.username}'s access token is deleted. ` +
        "Pushes start no builds until you set the new secret at Gitea or Forgejo.",
    );
    expect(await violations(page)).toEqual([]);
    await button(page, "Cancel").click();
    await warning.waitFor({ state: "detached" });
    const state = async () => (await ann.get(place)).json;
    expect(await state()).toMatchObject({ has_access_token: true, user: { username: ann.username } });

    await button(page, "Create a new secret").click();
    await page.locator(".ask").getByRole("button", { name: "Create a new secret" }).click();
    await page.getByText("Pushes start no builds until you set it at Gitea or Forgejo.").waitFor();
    expect(await state()).toMatchObject({ has_access_token: false, user: { username: bob.username } });
    const secret = await page.getByLabel("Secret", { exact: true }).inputValue();
    expect(await api.push(name, "0".repeat(40), "x", { url: repository.hook_url, secret })).toBe(202);
    await button(page, "Create a new secret").click();
    await page.locator(".ask").getByText("Pushes start no builds until").waitFor();
    expect(await warning.count()).toBe(0);
  });

  test("a webhook is added, signs what it sends, is changed, turned off and deleted", async () => {
    const { name, path } = await aNamespace();
    const page = await web.open(`${path}/webhooks`, ann);
    await page.getByText("There are no webhooks yet.").waitFor();
    await page.getByLabel("Address").fill("http://127.0.0.2:1/x");
    await button(page, "Add the webhook").click();
    await page.getByRole("alert").getByText("Payload URL address not allowed").waitFor();
    await page.getByLabel("Address").fill(`${inbox.url}/first`);
    await page.getByLabel("Build submitted").check();
    await button(page, "Add the webhook").click();
    const secret = await page
      .getByRole("region", { name: "Webhook added" })
      .getByLabel("Secret", { exact: true })
      .inputValue();
    await page.getByRole("link", { name: `${inbox.url}/first` }).click();
    expect(await page.content()).not.toContain(secret);
    await page.getByText("No deliveries yet. The next event that the webhook receives will appear here.").waitFor();

    created(await ann.post("/builds", { manifest: aManifest({ namespace: name }) }));
    await page.getByRole("link", { name: /^build\.submitted/ }).click();
    await page.getByText("delivered").first().waitFor();
    await page.getByRole("region", { name: "Request" }).getByText("X-Service-CI-Signature").waitFor();
    await page.getByRole("region", { name: "Request" }).getByText(`"path": "${name}"`).first().waitFor();
    await button(page, "Redeliver").click();
    await page.getByText("Attempt 2, requested by a user").waitFor();
    expect(inbox.requests.filter(({ path }) => path === "/first")).toHaveLength(2);
    await page.reload();
    await page.getByText("Attempt 2, requested by a user").waitFor();

    await page.getByRole("link", { name: /^Webhook \d+$/ }).click();
    await page.getByRole("link", { name: "Failed deliveries" }).click();
    await page.getByText("No delivery has failed for good.").waitFor();
    await page.getByLabel("Status").selectOption("");
    await button(page, "Filter").click();
    await page.getByRole("link", { name: /^build\.submitted/ }).waitFor();
    await page.getByRole("link", { name: /^Webhook \d+$/ }).click();
    await page.getByText("Change", { exact: true }).click();
    await page.getByLabel("Build started").check();
    await button(page, "Save").click();
    await page.getByText("build submitted, build started").waitFor();
    await button(page, "New secret").click();
    expect(await page.getByLabel("Secret", { exact: true }).inputValue()).not.toBe(secret);
    await button(page, "Turn off").click();
    await button(page, "Turn on").waitFor();
    await page.getByLabel("Event", { exact: true }).selectOption("Build started");
    await button(page, "Send a test").click();
    await page.getByText("delivered").first().waitFor();
    await page.getByRole("region", { name: "Request" }).getByText("X-Service-CI-Test").waitFor();
    await page.getByRole("link", { name: /^Webhook \d+$/ }).click();
    await page.getByRole("link", { name: /^build\.started/ }).waitFor();
    await button(page, "Delete this webhook").click();
    await page.locator(".ask").getByRole("button", { name: "Delete this webhook" }).click();
    await page.getByText("There are no webhooks yet.").waitFor();
  });

  test("each of these pages breaks no rule of axe in light or dark, and fits on a phone", async () => {
    const { name, path } = await aNamespace();
    const { url } = await aRepository();
    const hook = created(await ann.post(`${path}/webhooks`, { payload_url: `${inbox.url}/${aWord()}` }));
    const fields = { url, access_token: token, secret: "s", build: true };
    const { id, delivery } = created(await ann.post(`${path}/repositories`, fields));
    created(await ann.post("/builds", { manifest: aManifest({ namespace: name }) }));
    const sent = await eventually(async () => {
      const { json } = await ann.get(`${hook.url}/deliveries`);
      expect(json[0].status).toBe("delivered");
      return json[0];
    });
    const below = (url: string) => url.slice(web.ci.url.length);
    const places = [
      ...[`${path}/webhooks`, below(hook.url), `${below(hook.url)}/deliveries`, below(sent.url)],
      ...[`${path}/repositories`, `${path}/repositories/${id}`, `${path}/repositories/${id}/deliveries`],
      below(delivery.url),
    ];
    const page = await web.open("/builds", ann, { viewport: { width: 360, height: 700 } });
    for (const place of places) {
      await page.goto(web.ci.url + place);
      await page.getByRole("navigation", { name: "In this namespace" }).waitFor();
      await page.getByText("Loading …").waitFor({ state: "detached" });
      for (const summary of await page.locator("summary").all()) await summary.click();
      expect([place, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([place, 360]);
      expect([place, await violationsInBothSchemes(page)]).toEqual([place, []]);
    }
  });
});
