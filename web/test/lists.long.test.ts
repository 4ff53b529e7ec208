import { created } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { inBrowser } from "./_browser.js";

inBrowser((web) => {
  test.each([
    ["busy", { status: 503, json: { message: "Service unavailable" } }, "Service unavailable"],
    ["limited", { status: 429, json: { message: "Too many requests" } }, "Too many requests"],
    ["a proxy's sign-in page", { contentType: "text/html", body: "Sign in" }, "does not answer as Service CI"],
    ["gone", undefined, "The server cannot be reached"],
  ])("a list without events is read again after its server was %s", async (_what, answer, complaint) => {
    const user = await web.ci.signUp();
    const page = await web.open("/user", user);
    await page.clock.install();
    await page.route(/\/api\/tokens/, (route) => (answer ? route.fulfill(answer) : route.abort()));
    await page.getByRole("link", { name: "Tokens" }).click();
    await page.getByText(complaint).first().waitFor();
    await page.unroute(/\/api\/tokens/);
    await eventually(async () => {
      await page.clock.runFor(1_000);
      expect(await page.locator(".row").count()).toBeGreaterThan(0);
    });
    expect(await page.getByText(complaint).count()).toBe(0);
  });

  test("a list that may not be read is not read again", async () => {
    const user = await web.ci.signUp();
    const page = await web.open("/user", user);
    await page.clock.install();
    let requests = 0;
    await page.route(/\/api\/tokens/, (route) => {
      requests++;
      return route.fulfill({ status: 403, json: { message: "Forbidden" } });
    });
    await page.getByRole("link", { name: "Tokens" }).click();
    await page.getByText("Forbidden").waitFor();
    await page.clock.runFor(60_000);
    expect(requests).toBe(1);
  });

  test("the way back to a list leads to where the reader was", async () => {
    const user = await web.ci.signUp();
    for (let number = 10; number < 36; number++)
      created(await user.post("/variables", { key: `VARIABLE${number}`, value: "x" }));
    const page = await web.open("/variables", user);
    const last = page.getByRole("link", { name: "VARIABLE34" });
    await last.scrollIntoViewIfNeeded();
    const top = await page.evaluate("scrollY");
    expect(top).toBeGreaterThan(0);
    await last.click();
    await page.getByRole("heading", { name: "VARIABLE34" }).waitFor();
    expect(await page.evaluate("scrollY")).toBe(0);
    await page.goBack();
    await eventually(async () => expect(await page.evaluate("scrollY")).toBe(top));
    const hasScrolled = "new Promise((done) => addEventListener('scrollend', done, { once: true }))";
    await page.evaluate(`const scrolled = ${hasScrolled}; scrollTo(0, 100); scrolled.then(() => undefined)`);
    await page.goForward();
    await page.getByRole("heading", { name: "VARIABLE34" }).waitFor();
    await page.goBack();
    await last.waitFor();
    await eventually(async () => expect(await page.evaluate("scrollY")).toBe(100));
    await last.scrollIntoViewIfNeeded();
    await page.getByRole("link", { name: "Next page" }).click();
    await page.getByRole("link", { name: "VARIABLE35" }).waitFor();
    expect(await page.evaluate("scrollY")).toBe(0);
    await page.goBack();
    await last.waitFor();
    await eventually(async () => expect(await page.evaluate("scrollY")).toBeGreaterThanOrEqual(top as number));
    await page.getByRole("link", { name: "Account" }).click();
    await page.getByRole("link", { name: "Variables" }).click();
    await last.waitFor();
    expect(await page.evaluate("scrollY")).toBe(0);
  });
});
