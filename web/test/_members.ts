/// <reference types="jest" />
import { aManifest, aWord } from "@ci/testkit/builders";
import { created, everything, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { violations, type Web } from "./_browser.js";
import { button, remove, says, shown } from "./_owned.js";

/** Tests of namespaces, of people who share them, and of tokens. */
export function membersAndTokens(web: Web): void {
  let owner: SignedUp;
  let guest: SignedUp;
  let root: string;

  beforeAll(async () => {
    [owner, guest] = await Promise.all([web.ci.signUp(), web.ci.signUp()]);
    root = aWord("tree");
    created(await owner.post("/namespaces", { name: root }));
  });

  const placeOf = (path: string) => `/n/${owner.username}/${path}`;

  test("a namespace is created below another one, which decides who sees it", async () => {
    const page = await web.open("/namespaces", owner);
    await page.getByText("New namespace").click();
    await page.getByLabel("Name", { exact: true }).fill("web");
    await page.getByLabel("Below").fill("nowhere");
    await button(page, "Create the namespace").click();
    await page.getByRole("alert").getByText("Parent").waitFor();
    await page.getByLabel("Below").fill(root);
    await page.getByLabel("Description").fill("Pages");
    await button(page, "Create the namespace").click();
    await says(page, `Created the namespace ${root}/web.`);
    await page.getByRole("link", { name: `${root}/web` }).click();
    await page.getByText("The topmost namespace decides who sees its tree: private.").waitFor();
    expect(await page.getByLabel("Visibility").count()).toBe(0);
    await page.getByRole("link", { name: `in ${root}` }).click();
    await page.getByLabel("Visibility").selectOption("internal");
    await page.getByLabel("Description").fill("Everything");
    await button(page, "Save").click();
    await says(page, "Changed the namespace.");
    await page.reload();
    await shown(page);
    expect(await page.getByLabel("Visibility").inputValue()).toBe("internal");
    await page.getByRole("paragraph").getByText("Everything").waitFor();
    await page.getByRole("link", { name: "Namespaces below" }).click();
    await page.getByText("Pages").waitFor();
    expect((await owner.get(placeOf(`${root}/web`))).json.visibility).toBe("internal");
  });

  test("a reader who is no member sees a namespace and its builds, but no button of its owner", async () => {
    const open = aWord("open");
    created(await owner.post("/namespaces", { name: open, visibility: "internal" }));
    const page = await web.open(placeOf(open), guest);
    await page.getByText("No build has run here yet.").waitFor();
    expect(await page.getByRole("button", { name: /Save|Delete|invite/ }).count()).toBe(0);
    expect(await page.getByRole("link", { name: "Invites" }).count()).toBe(0);
    await page.getByRole("link", { name: "Variables", exact: true }).click();
    await page.getByLabel("Name", { exact: true }).fill("INTRUDER");
    await page.getByLabel("Value", { exact: true }).fill("x");
    await button(page, "Create the variable").click();
    await page.getByRole("alert").getByText("Namespace").waitFor();
  });

  test("a user is invited, accepts, works there and is removed", async () => {
    const theirs = await web.open(placeOf(root), owner);
    await theirs.getByText("Invite a user").click();
    await theirs.getByLabel("User", { exact: true }).fill("nobody-here");
    await button(theirs, "Send the invite").click();
    await theirs.getByRole("alert").getByText("No such user").waitFor();
    await theirs.getByLabel("User", { exact: true }).fill(guest.username);
    await button(theirs, "Send the invite").click();
    await says(theirs, `Invited ${guest.username}`);

    const page = await web.open("/user", guest);
    await page.getByRole("link", { name: "Invites" }).click();
    await page.getByText(`from ${owner.username}`).waitFor();
    expect(await violations(page)).toEqual([]);
    await button(page, `Accept the invite to ${owner.username}/${root}`).click();
    await page.waitForURL(new RegExp(`/n/${owner.username}/${root}$`));
    await says(page, `You are now a collaborator of ${owner.username}/${root}.`);
    const hints = (name: string) => page.getByText(`namespace: ${name}`, { exact: true }).count();
    await page.getByRole("region", { name: "Cron jobs" }).waitFor();
    expect([await hints(`${root}@${owner.username}`), await hints(root)]).toEqual([2, 0]);
    expect(await page.getByRole("button", { name: /Remove/ }).count()).toBe(0);

    await theirs.getByRole("link", { name: "People" }).click();
    await remove(theirs, `the collaborator ${guest.username}`, "Remove");
    await says(theirs, `Removed ${guest.username}, who can no longer work here.`);
    await theirs.getByText("Nobody else works here yet.").waitFor();
  });

  test("the page of a namespace names it as its owner's manifest does, and shows a cron job that is new", async () => {
    const name = aWord("own");
    created(await owner.post("/namespaces", { name }));
    const page = await web.open(placeOf(name), owner);
    const crons = page.getByRole("region", { name: "Cron jobs" });
    await crons.getByText(`namespace: ${name}`, { exact: true }).waitFor();
    created(await owner.post("/cron", { name: aWord("nightly"), manifest: aManifest({ namespace: name }) }));
    await crons.getByRole("link", { name: /^nightly/ }).waitFor();
  });

  test("a session that may not read cron jobs requests them no more often than the rest of the page", async () => {
    const user = await web.ci.signUp(undefined, everything.replace(/cron:\S+/, ""));
    const name = aWord("own");
    created(await user.post("/namespaces", { name }));
    const page = await web.open("/namespaces", user);
    const sent = { cron: 0, variables: 0 };
    page.on("request", (request) => {
      const last = new URL(request.url()).pathname.split("/").at(-1)!;
      if (last === "cron" || last === "variables") sent[last]++;
    });
    await page.clock.install();
    const refused = page.waitForResponse((response) => response.url().endsWith("/cron") && response.status() === 403);
    await page.goto(`${web.ci.url}/n/${user.username}/${name}`);
    await page.getByText("No build has run here yet.").waitFor();
    await refused;
    for (let seconds = 0; seconds < 30; seconds += 5) {
      await page.clock.fastForward(5_000);
      await page.evaluate("fetch(location.href)");
    }
    await eventually(() => expect(sent.cron).toBe(sent.variables));
    expect(await page.getByRole("region", { name: "Cron jobs" }).count()).toBe(0);
  });

  test("a collaborator leaves, and no longer finds the namespace", async () => {
    const { id } = created(await owner.post(`${placeOf(root)}/-/invites`, { handle: guest.username }));
    await guest.patch(`/invites/${id}`);
    created(await owner.post("/namespaces", { name: "left", parent: root }));
    const page = await web.open(placeOf(`${root}/left`), guest);
    await button(page, `Leave the namespace ${root}`).click();
    await button(page, "Cancel").click();
    await page.getByRole("link", { name: "People" }).click();
    await page.getByText("joined").waitFor();
    await remove(page, `the namespace ${root}`, "Leave");
    await page.waitForURL(/\/namespaces$/);
    await says(page, `You have left the namespace ${root}.`);
    await page.getByText("You have no namespaces yet.").waitFor();
    expect((await guest.get(`${placeOf(root)}/-/collaborators`)).status).toBe(404);
    const theirs = await web.open(`${placeOf(root)}/-/collaborators`, owner);
    await theirs.getByText("Nobody else works here yet.").waitFor();
    expect(await theirs.getByRole("button", { name: /Leave/ }).count()).toBe(0);
  });

  test("an invite is withdrawn by the owner, or rejected by the invitee", async () => {
    const place = placeOf(root);
    created(await owner.post(`${place}/-/invites`, { handle: guest.email }));
    const theirs = await web.open(`${place}/-/invites`, owner);
    await remove(theirs, `the invite of ${guest.username}`, "Withdraw");
    await says(theirs, `Withdrew the invite of ${guest.username}.`);
    created(await owner.post(`${place}/-/invites`, { handle: guest.email }));
    const page = await web.open("/invites", guest);
    await remove(page, `the invite to ${owner.username}/${root}`, "Reject");
    await page.getByText("Nobody has invited you.").waitFor();
    expect((await guest.get("/invites")).json).toEqual([]);
  });

  test("deleting a namespace says what is lost, and asks first", async () => {
    const name = aWord("gone");
    created(await owner.post("/namespaces", { name }));
    created(await owner.post("/variables", { namespace: name, key: aWord("STAYS"), value: "x" }));
    const page = await web.open(placeOf(name), owner);
    await page.getByText("webhooks, repositories and cron jobs are deleted").waitFor();
    await button(page, `Delete the namespace ${name}`).click();
    await button(page, "Cancel").click();
    expect((await owner.get(placeOf(name))).status).toBe(200);
    await remove(page, `the namespace ${name}`);
    await page.waitForURL(/\/namespaces$/);
    await says(page, `Deleted the namespace ${name}.`);
    expect((await owner.get(placeOf(name))).status).toBe(404);
  });

  test("the secret of a new token is shown once, and works until the token is deleted", async () => {
    const page = await web.open("/tokens", owner);
    await page.getByText("New token").click();
    await page.getByLabel("Name", { exact: true }).fill("script");
    await button(page, "Only read").click();
    await page.getByLabel("write build").check();
    await page.getByLabel("read webhook").uncheck();
    await button(page, "Create the token").click();
    const secret = await page.getByRole("textbox", { name: "Secret of the token script" }).inputValue();
    await page.getByText(/^build:read,write .* cron:read$/).waitFor();
    const token = (await owner.get("/tokens")).json.find((token: { name: string }) => token.name === "script");
    const days = (Date.parse(token.expires_at) - Date.parse(token.created_at)) / 86_400_000;
    expect(Math.round(days)).toBe(30);
    expect((await web.ci.as(secret).get("/builds")).status).toBe(200);
    await button(page, "I have stored it").click();
    await says(page, "The secret is no longer on this page.");
    expect(await page.getByLabel("Secret of").count()).toBe(0);
    await page.reload();
    await page.getByText("script", { exact: true }).waitFor();
    expect(await page.content()).not.toContain(secret);
    await remove(page, "the token script");
    await says(page, "Deleted the token script.");
    expect((await web.ci.as(secret).get("/builds")).status).toBe(401);
  });

  test("a long list continues on further pages", async () => {
    const user = await web.ci.signUp();
    for (let number = 10; number < 36; number++)
      created(await user.post("/variables", { key: `VARIABLE${number}`, value: "x" }));
    const page = await web.open("/variables", user);
    await page.getByRole("link", { name: "VARIABLE10" }).waitFor();
    expect(await page.getByRole("link", { name: /VARIABLE/ }).count()).toBe(25);
    await page.getByRole("link", { name: "Next page" }).click();
    await page.getByRole("link", { name: "VARIABLE35" }).waitFor();
    await page.goBack();
    await page.getByRole("link", { name: "VARIABLE10" }).waitFor();
  });
}
