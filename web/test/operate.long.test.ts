import { aManifest, aWord } from "@ci/testkit/builders";
import { created, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { inBrowser, violations } from "./_browser.js";

const places = [
  ["/queue", "Queue"],
  ["/runners", "Runners"],
  ["/users", "Users"],
  ["/users/-/tokens", "Tokens"],
  ["/audit", "Audit log"],
] as const;

inBrowser((web) => {
  let ann: SignedUp;
  const admin = () => web.ci.admin as SignedUp;

  beforeAll(async () => {
    ann = await web.ci.signUp();
    const build = created(await ann.post("/builds", { manifest: aManifest() }));
    await eventually(async () => expect((await ann.get(build.url)).json.status).toBe("passed"));
  });

  test.each(places)("%s breaks no rule of axe in light and dark, and fits a phone", async (path, name) => {
    const page = await web.open(path, admin(), { viewport: { width: 360, height: 700 } });
    await page.getByRole("heading", { level: 1, name }).waitFor();
    await page.getByText("Loading …").waitFor({ state: "detached" });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect([colorScheme, await violations(page)]).toEqual([colorScheme, []]);
    }
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
  });

  test("users who are no administrators have no link to these pages, and may not see them", async () => {
    const page = await web.open("/builds", ann);
    await page.getByText(ann.username).first().waitFor();
    expect(await page.getByRole("link", { name: "Operate" }).count()).toBe(0);
    for (const [path] of places) {
      await page.goto(web.ci.url + path);
      await page.getByText("Token lacks permission user:read.").waitFor();
    }
  });

  test("an administrator sees the runner, its places, the queue and its history", async () => {
    const page = await web.open("/builds", admin());
    await page.getByRole("link", { name: "Operate" }).click();
    await page.getByRole("heading", { level: 1, name: "Queue" }).waitFor();
    await page.getByRole("row", { name: /^os 0 \d+ 1$/ }).waitFor();
    await page
      .getByRole("figure", { name: "Builds", exact: true })
      .getByText(/^waiting: 0, at most \d+$/)
      .waitFor();
    expect(await page.locator(".plot path[class^=line-]").first().getAttribute("d")).toMatch(/^M/);
    await page.getByText("Numbers").first().press("Enter");
    await page.getByRole("columnheader", { name: "waiting", exact: true }).waitFor();
    await page.getByRole("link", { name: "24 hours" }).click();
    await page.waitForURL(/\?hours=24$/);
    await page.goBack();
    await page.waitForURL(/\/queue$/);
    await page.getByRole("link", { name: "Runners" }).click();
    await page
      .getByText(/^\d of \d+ slots busy$/)
      .first()
      .waitFor();
    await page.locator(".row .status").getByText("active").first().waitFor();
  });

  test("a user is created, gets a token that is shown once, and is deleted", async () => {
    const name = aWord("new");
    const page = await web.open("/users", admin());
    await page.getByLabel("Username").fill("ab");
    await page.getByLabel("E-mail address").fill(`${name}@example.com`);
    await page.getByRole("button", { name: "Create the user" }).click();
    await page.getByText(/Username must be between 3 and 30 characters in length/).waitFor();
    await page.getByLabel("Username").fill(name);
    await page.getByRole("button", { name: "Create the user" }).click();
    await page.getByText(`The user ${name} is created.`).waitFor();
    await page.getByLabel("Name or e-mail contains").fill(name);
    await page.keyboard.press("Enter");
    await page.waitForURL(/search=/);
    await page.getByText("New token", { exact: true }).press("Enter");
    await page.getByLabel("Name", { exact: true }).fill("first");
    await page.getByLabel("read build").check();
    await page.getByRole("button", { name: `Create a token for ${name}` }).click();
    const secret = await page.getByRole("textbox", { name: `Secret of the token of ${name}` }).inputValue();
    expect((await web.ci.as(secret).get("/user")).json.username).toBe(name);
    await page.reload();
    await page.getByText(name, { exact: true }).waitFor();
    expect(await page.content()).not.toContain(secret);
    await page.getByRole("button", { name: `Delete the user ${name}` }).click();
    await page.getByRole("button", { name: `Delete the user ${name}` }).click();
    await page.getByText(`The user ${name} is deleted.`).waitFor();
    await page.getByText("No user matches.").waitFor();
  });

  test("tokens of all users are found by user and name, and revoked", async () => {
    const name = aWord("key");
    const { id, secret } = created(await ann.post("/tokens", { name, scope: "build:read" }));
    const page = await web.open("/users", admin());
    await page.getByRole("link", { name: "Tokens", exact: true }).click();
    await page.getByText(name, { exact: true }).waitFor();
    await page.getByLabel("User", { exact: true }).fill("admin");
    await page.getByLabel("Name contains").fill(name);
    await page.keyboard.press("Enter");
    await page.getByText("No token matches.").waitFor();
    await page.getByLabel("User", { exact: true }).fill(ann.username);
    await page.getByRole("button", { name: "Filter" }).click();
    await page.getByText("build:read", { exact: true }).waitFor();
    expect(await page.locator(".rows > .row").count()).toBe(1);
    expect(await page.content()).not.toContain(secret);
    await page.getByRole("link", { name: `audit log of the token ${name} of ${ann.username}` }).click();
    await page.waitForURL(new RegExp(`/audit\\?token=${id}$`));
    await page.getByText("No entry matches.").waitFor();
    await page.goBack();
    const revoke = page.getByRole("button", { name: `Revoke the token ${name} of ${ann.username}` });
    await revoke.click();
    await page.getByRole("button", { name: "Cancel" }).click();
    expect((await web.ci.as(secret).get("/user")).status).toBe(200);
    await revoke.click();
    await revoke.click();
    await page.getByText(`Revoked the token ${name} of ${ann.username}. It works no longer.`).waitFor();
    await page.getByText("No token matches.").waitFor();
    expect((await web.ci.as(secret).get("/user")).status).toBe(401);
  });

  test("the audit log has filters and pages, and shows the details of a request", async () => {
    for (let nth = 0; nth < 30; nth++) created(await ann.post("/variables", { key: aWord("V"), value: "x" }));
    const page = await web.open("/audit", admin());
    await page.getByLabel("User", { exact: true }).fill(ann.username);
    await page.getByLabel("Kind of record").fill("variable");
    await page.getByRole("combobox", { name: "Outcome" }).selectOption("done");
    await page.getByRole("button", { name: "Filter" }).click();
    await page.waitForURL(/kind=variable/);
    await page.getByText(`${ann.username}: createVariable`).first().waitFor();
    expect(await page.locator(".audit > .row").count()).toBe(25);
    await page.getByText("More", { exact: true }).first().press("Enter");
    await page.getByText("127.0.0.1").first().waitFor();
    await page.getByRole("link", { name: "Next page" }).click();
    await page.waitForURL(/page=2/);
    await eventually(async () => expect(await page.locator(".audit > .row").count()).toBe(5));
    await page.getByLabel("From").fill("2099-01-01T00:00");
    await page.getByRole("button", { name: "Filter" }).click();
    await page.getByText("No entry matches.").waitFor();
    await page.getByLabel("Kind of record").fill("nonsense");
    await page.getByRole("button", { name: "Filter" }).click();
    await page.getByText(/Kind invalid kind/).waitFor();
  });
});
