import { aManifest, aWord } from "@ci/testkit/builders";
import { created, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import type { Page } from "playwright-core";
import { inBrowser } from "./_browser.js";

inBrowser((web) => {
  /** Opens a list whose clock the test moves, and waits until its stream is open. Counts its requests for the list. */
  async function openList(path: string, user: SignedUp, events = "/api/events") {
    const page = await web.open("/-/new-build", user);
    await page.clock.install();
    let requests = 0;
    const list = new RegExp(`/api${path.replace(/\?.*/, "")}(\\?|$)`);
    page.on("request", (request) => {
      if (list.test(request.url()) && request.resourceType() === "fetch") requests++;
    });
    const opened = page.waitForResponse((response) => response.url().endsWith(events));
    await page.goto(web.ci.url + path);
    expect((await opened).status()).toBe(200);
    // The second time, because something may have happened before the stream was open.
    await eventually(async () => {
      await page.clock.runFor(1_000);
      expect(requests).toBe(2);
    });
    return { page, requests: () => requests };
  }

  const submit = async (user: SignedUp, namespace?: string) =>
    created(await user.post("/builds", { manifest: aManifest(namespace === undefined ? {} : { namespace }) }));
  const rowOf = (page: Page, number: number) =>
    page.locator(".row", { has: page.getByRole("link", { name: new RegExp(`#${number}$`) }) });

  test("builds submitted elsewhere appear and change in the list of all builds, which is not polled", async () => {
    const user = await web.ci.signUp();
    const { page, requests } = await openList("/builds", user);
    for (const [index, namespace] of [undefined, aWord("ns")].entries()) {
      await submit(user, namespace);
      await eventually(async () => {
        await page.clock.runFor(1_000);
        expect(await rowOf(page, index + 1).textContent()).toContain("passed");
      });
    }
    const before = requests();
    // Without a stream, each step would be a poll. While requests are slow, the page polls now and then.
    for (let step = 0; step < 6; step++) {
      await page.clock.runFor(5_000);
      await page.evaluate("fetch('/api/version')");
    }
    // The events of the start and the end may have come after the response that showed the end.
    expect(requests() - before).toBeLessThan(6);
    expect(await page.locator(".live").textContent()).toBe("");
  });

  test("many events at a time make the list read about once a second", async () => {
    const user = await web.ci.signUp();
    const build = await submit(user);
    await eventually(async () => expect((await user.get(build.url)).json.status).toBe("passed"));
    const { page, requests } = await openList("/builds", user);
    // A longer jump would make the stream look dead.
    await eventually(async () => page.clock.pauseAt(new Date(((await page.evaluate("Date.now()")) as number) + 2_000)));
    const before = requests();
    for (let nth = 0; nth < 21; nth++) {
      const verb = nth % 2 === 0 ? "pin" : "unpin";
      expect((await user.patch(`${build.url}/${verb}`)).status).toBe(200);
      await page.clock.runFor(10);
    }
    expect(requests() - before).toBeLessThanOrEqual(2);
    await eventually(async () => {
      await page.clock.runFor(1_000);
      expect(await rowOf(page, 1).textContent()).toContain("pinned");
    });
  });

  test("an open list keeps its records' ages up to date", async () => {
    const user = await web.ci.signUp();
    created(await user.post("/tokens", { name: "other", scope: "build:read" }));
    const page = await web.open("/-/new-build", user);
    await page.clock.install();
    await page.goto(`${web.ci.url}/tokens`);
    const token = page.locator(".row", { hasText: "other" });
    await token.waitFor();
    await page.clock.runFor("03:00");
    expect(await token.textContent()).toMatch(/created \d min ago/);
  });

  test("ages are right in a browser whose clock is wrong", async () => {
    const user = await web.ci.signUp();
    created(await user.post("/tokens", { name: "other", scope: "build:read" }));
    const page = await web.open("/-/new-build", user);
    await page.clock.install({ time: Date.now() + 86_400_000 });
    await page.goto(`${web.ci.url}/tokens`);
    const token = page.locator(".row", { hasText: "other" });
    await token.waitFor();
    expect(await token.textContent()).toMatch(/created (just now|\d+ (s|min) ago)/);
  });

  test("a list of one namespace follows the stream of that namespace", async () => {
    const user = await web.ci.signUp();
    const name = aWord("ns");
    created(await user.post("/namespaces", { name }));
    const place = `/n/${user.username}/${name}`;
    const page = await web.open("/-/new-build", user);
    const opened = page.waitForResponse((response) => response.url().endsWith(`${place}/-/events`));
    const streams: string[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/events")) streams.push(new URL(request.url()).pathname);
    });
    await page.goto(`${web.ci.url}/builds?namespace=${user.username}/${name}`);
    await opened;
    await submit(user, name);
    await rowOf(page, 1).waitFor();
    expect(streams).toEqual([`/api${place}/-/events`]);
  });

  test.each([
    ["lost", undefined],
    ["replaced by a proxy's sign-in page", { contentType: "text/html", body: "Sign in" }],
  ])("a list whose stream is %s says so and is polled, until the stream is open again", async (_how, answer) => {
    const user = await web.ci.signUp();
    const page = await web.open("/-/new-build", user);
    await page.clock.install();
    await page.route("**/api/events", (route) => (answer ? route.fulfill(answer) : route.abort()));
    await page.goto(`${web.ci.url}/builds`);
    await page.getByText("Not live: the connection is lost. Trying again.").waitFor();
    await submit(user);
    await eventually(async () => {
      await page.clock.runFor(2_000);
      expect(await rowOf(page, 1).textContent()).toContain("passed");
    });
    await page.unroute("**/api/events");
    await eventually(async () => {
      await page.clock.runFor(5_000);
      expect(await page.locator(".live").textContent()).toBe("");
    });
  });
});
