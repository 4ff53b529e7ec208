import { aManifest, aWord } from "@ci/testkit/builders";
import { created } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import type { Page } from "playwright-core";
import { inBrowser, violations } from "./_browser.js";

const commands = (...lines: string[]) => aManifest({ jobs: [{ stage: "test", name: "unit", commands: lines }] });
const complaint = (field: unknown) => (field as { validationMessage: string }).validationMessage;
const submit = (page: Page) => page.getByRole("button", { name: "Submit the build" });

inBrowser((web) => {
  test("mistakes of a manifest stand at their lines", async () => {
    const page = await web.open("/-/new-build", await web.ci.signUp());
    await page
      .getByLabel("Manifest")
      .fill("driver:\n  type: os\nstages: [test]\njobs:\n- stage: other\n  commands: [x]\n");
    const lines = page.getByRole("button", { name: /^Line \d+$/ });
    await lines.first().click();
    const numbers = await page.evaluate("document.querySelector('.gutter').innerText");
    expect(String(numbers).split("\n")).toEqual(["1", "2", "3", "4", "5", "6", "7"]);
    const mistakes = "driver:\n  type: none\njobs:\n- stage: test\n  command: x\n- stage: test\n  commands: x\n";
    await page.getByLabel("Manifest").fill(mistakes);
    await page.getByText("3 mistakes").waitFor();
    expect(await lines.allTextContents()).toEqual(["Line 2", "Line 5", "Line 7"]);
    const wrong = new Set((await lines.allTextContents()).map((text) => text.slice("Line ".length)));
    expect(await page.locator(".gutter span").allTextContents()).toEqual([...wrong]);
    expect(await page.evaluate("document.activeElement.id")).toBe("manifest");
    await page.getByRole("button", { name: "Submit the build" }).click();
    await page.getByRole("alert").waitFor();
  });

  test("keys and values are suggested, chosen by keyboard or mouse, and variables go with the build", async () => {
    const ann = await web.ci.signUp();
    const page = await web.open("/-/new-build", ann);
    const manifest = page.getByLabel("Manifest");
    await manifest.fill("");
    await manifest.pressSequentially("dri");
    await page.getByRole("option", { name: /^driver:/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await manifest.pressSequentially("\n  t");
    await page.getByRole("option", { name: /^type:/ }).click();
    await page.keyboard.press("Control+Space");
    await page.getByRole("option", { name: "docker" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("option").first().waitFor({ state: "detached" });
    expect(await manifest.inputValue()).toBe("driver:\n  type: ");
    await manifest.fill(commands("echo $TARGET"));
    const variables = page.getByLabel(/^Variables of this build/);
    await variables.fill("TARGET");
    await page.getByRole("button", { name: "Submit the build" }).click();
    expect(await variables.evaluate(complaint)).toBe('Write KEY=value, not "TARGET".');
    await variables.fill("TARGET=a=b");
    await page.getByRole("button", { name: "Submit the build" }).click();
    await page.getByRole("region", { name: "Lines of unit" }).getByText("a=b", { exact: true }).waitFor();
  });

  test("a new build begins with an example for the docker driver, which installations accept by default", async () => {
    const ann = await web.ci.signUp();
    const page = await web.open("/-/new-build", ann);
    const example = await page.getByLabel("Manifest").inputValue();
    expect(example).toMatch(/^driver:\n {2}type: docker\n {2}image: busybox/);
    await page.getByText("Valid: 1 job").waitFor();
  });

  test("a submission whose response gets lost is repeated by the page and by its user, and makes one build", async () => {
    const ann = await web.ci.signUp();
    const page = await web.open("/-/new-build", ann);
    await page.getByLabel("Manifest").fill(commands("true"));
    let sent = 0;
    await page.route("**/api/builds", async (route) => {
      if (route.request().method() !== "POST") return route.continue();
      const response = await route.fetch();
      sent++;
      if (sent === 1) return route.abort("connectionreset");
      return sent === 2
        ? route.fulfill({ status: 500, json: { message: "Internal error" } })
        : route.fulfill({ response });
    });
    await submit(page).click();
    await page.getByText("Internal error").waitFor();
    await submit(page).click();
    await page.waitForURL(/\/1$/);
    expect(sent).toBe(3);
    expect((await ann.get("/builds")).json).toHaveLength(1);
  });

  test("a click counts while suggestions are open, and a change takes back the refusal of the service", async () => {
    const page = await web.open("/-/new-build", await web.ci.signUp());
    const manifest = page.getByLabel("Manifest");
    for (const button of ["right", "middle", "left"] as const) {
      await manifest.fill(`driver: {type: os}\n# ${button}\nstag`);
      await page.getByRole("option").first().waitFor();
      await submit(page).click({ button });
      await eventually(async () => expect(await page.getByRole("option").count()).toBe(0));
    }
    const refusal = page.getByRole("alert");
    await refusal.waitFor();
    await manifest.fill(commands("x"));
    await refusal.waitFor({ state: "detached" });
    await page.getByLabel(/^Tags/).fill("a+b ".repeat(60));
    await page.getByText("Valid: 1 job").waitFor();
    await page.getByLabel(/^Variables of this build/).fill("A B=c");
    await submit(page).click();
    await refusal.waitFor();
    await page.getByLabel(/^Variables of this build/).fill("A=c");
    await refusal.waitFor({ state: "detached" });
  });

  test("a build is edited and submitted again, with its tags and the variables that only its request has", async () => {
    const [ann, bob] = [await web.ci.signUp(), await web.ci.signUp()];
    const name = aWord("shop");
    created(await ann.post("/namespaces", { name }));
    const { id } = created(await ann.post(`/n/${ann.username}/${name}/-/invites`, { handle: bob.username }));
    await bob.patch(`/invites/${id}`);
    created(await ann.post("/variables", { namespace: name, key: "STORED", value: "stored" }));
    const job = "{stage: test, name: unit, commands: [echo made with $TOOL, echo $LEVEL-$STORED]}";
    const env = "env: [LEVEL=manifest, VERSION=1]";
    const manifest = `namespace: ${name}@${ann.username}\ndriver: {type: os}\nstages: [test]\n${env}\njobs: [${job}]\n`;
    const variables = { LEVEL: "request", LINES: "a\nb", RETURNS: "a\rb", N: "1", TOOL: "new" };
    const { url } = created(await ann.post("/builds", { manifest, tags: ["nightly", "a/b"], variables }));
    await ann.delete(url);
    const page = await web.open(new URL(url).pathname.replace(/^\/api/, ""), bob);
    await page.getByRole("link", { name: "Edit and submit again" }).click();
    const editor = page.getByLabel("Manifest");
    await eventually(async () => expect(await editor.inputValue()).toBe(manifest));
    await page.getByText(`It belonged to the namespace ${name}@${ann.username}.`).waitFor();
    expect(await page.getByLabel(/^Tags/).inputValue()).toBe("a/b nightly");
    expect(await page.getByLabel(/^Variables of this build/).inputValue()).toBe("N=1\nTOOL=new");
    await page
      .getByText("Not copied: LEVEL, VERSION (also named in the manifest); LINES, RETURNS (several lines).")
      .waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByLabel("Comment").fill("once more");
    await page.reload();
    await eventually(async () => expect(await page.getByLabel("Comment").inputValue()).toBe("once more"));
    const variablesField = page.getByLabel(/^Variables of this build/);
    await variablesField.fill("TOOL=typed");
    await page.context().clearCookies();
    await submit(page).click();
    await page.getByRole("banner").getByRole("link", { name: "Sign in" }).waitFor();
    expect(await variablesField.inputValue()).toBe("TOOL=typed");
    await page.getByRole("banner").getByRole("link", { name: "Sign in" }).click();
    await page.getByLabel("Access token").fill(bob.token);
    await page.keyboard.press("Enter");
    await variablesField.fill("TOOL=typed");
    await submit(page).click();
    const lines = page.getByRole("region", { name: "Lines of unit" });
    for (const text of ["made with typed", "manifest-stored"]) await lines.getByText(text, { exact: true }).waitFor();
    await page.getByRole("link", { name: name }).first().waitFor();
    const restarted = created(await bob.post(`${url}/restart`));
    await page.goto(`${web.ci.url}/-/new-build?from=${bob.username}/${restarted.number}`);
    await page.getByText("If a repository triggered the build that it restarted, it cloned that repository.").waitFor();
  });

  test("a copied build leaves alone what was typed for another new build", async () => {
    const ann = await web.ci.signUp();
    const { number } = created(await ann.post("/builds", { manifest: commands("true") }));
    const page = await web.open("/-/new-build", ann);
    const comment = page.getByLabel("Comment");
    const isTyped = (text: string) => eventually(async () => expect(await comment.inputValue()).toBe(text));
    const isSignedIn = () => page.getByRole("button", { name: "Sign out" }).waitFor();
    await isSignedIn();
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/user", async (route) => {
      await released;
      await route.continue();
    });
    await page.reload();
    await comment.fill("of my own");
    release();
    await isSignedIn();
    const copy = `${web.ci.url}/-/new-build?from=${ann.username}/${number}`;
    await page.goto(copy);
    await isSignedIn();
    await comment.fill("of the copy");
    await page.goto(`${web.ci.url}/-/new-build`);
    await isTyped("of my own");
    await page.goto(copy);
    await isTyped("of the copy");
  });

  test("what was typed for a new build is there after signing in again and on the way back, only for its user", async () => {
    const [ann, bob] = [await web.ci.signUp(), await web.ci.signUp()];
    const page = await web.open("/-/new-build", ann);
    const manifest = page.getByLabel("Manifest");
    const comment = page.getByLabel("Comment");
    const fields = async () => [await manifest.inputValue(), await comment.inputValue()];
    const example = await manifest.inputValue();
    const signInAs = async (token: string) => {
      await page.getByLabel("Access token").fill(token);
      await page.keyboard.press("Enter");
      await page.waitForURL(/new-build$/);
      await page.getByRole("button", { name: "Sign out" }).waitFor();
    };
    const typed = [commands("echo typed"), "My comment"];
    await manifest.fill(typed[0]!);
    await comment.fill(typed[1]!);
    await page.context().clearCookies();
    await submit(page).click();
    // The check of the manifest may offer a link, too.
    await page.getByRole("main").getByRole("link", { name: "Sign in" }).first().click();
    await signInAs(ann.token);
    await eventually(async () => expect(await fields()).toEqual(typed));
    await submit(page).click();
    await page.waitForURL(/\/1$/);
    await page.goBack();
    await eventually(async () => expect(await fields()).toEqual(typed));
    await page.getByRole("link", { name: "Builds" }).click();
    await page.getByRole("link", { name: "New build" }).click();
    expect(await fields()).toEqual([example, ""]);
    await manifest.fill("a secret of ann");
    await page.context().clearCookies();
    await page.goto(`${web.ci.url}/-/sign-in?next=/api/-/new-build`);
    await signInAs(bob.token);
    expect(await fields()).toEqual([example, ""]);
    await comment.fill("Of bob");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(/sign-in$/);
    expect(await page.evaluate("sessionStorage.length")).toBe(0);
  });
});
