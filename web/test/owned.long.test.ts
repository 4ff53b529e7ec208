import { readFileSync } from "node:fs";
import { aDisk } from "@ci/testkit/a-disk";
import { aManifest, aWord } from "@ci/testkit/builders";
import { created, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { receiver } from "@ci/testkit/receiver";
import { complaintsOf, inBrowser, violations, violationsInBothSchemes } from "./_browser.js";
import { membersAndTokens } from "./_members.js";
import { aPrivateKey, button, fill, openForms, remove, says, shown, slowUploads } from "./_owned.js";

const MiB = 1024 ** 2;

inBrowser((web) => {
  let ann: SignedUp;
  let bob: SignedUp;
  let namespace: string;
  let places: Record<string, string>;

  beforeAll(async () => {
    [ann, bob] = await Promise.all([web.ci.signUp(), web.ci.signUp()]);
    namespace = aWord("ns");
    places = await fill(ann, bob, namespace);
  });

  const file = (name: string, buffer: Buffer) => ({ name, mimeType: "", buffer });

  test("no page breaks a rule of axe in light or dark, complains, or scrolls sideways on a phone", async () => {
    const page = await web.open("/builds", ann, { viewport: { width: 360, height: 700 } });
    const complaints = complaintsOf(page);
    for (const [what, place] of Object.entries(places)) {
      await page.goto(web.ci.url + place);
      await shown(page);
      await openForms(page);
      expect([what, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([what, 360]);
      expect([what, await violationsInBothSchemes(page)]).toEqual([what, []]);
    }
    expect(complaints).toEqual([]);
  });

  test("a newcomer's empty lists say what to do", async () => {
    const page = await web.open("/user", await web.ci.signUp());
    for (const [list, text] of Object.entries({
      Variables: "There are no variables yet.",
      "SSH keys": "There are no keys yet.",
      Objects: "There are no objects yet.",
      Images: "There are no images yet.",
      "Cron jobs": "There are no cron jobs yet.",
      Invites: "Nobody has invited you.",
    })) {
      await page.getByRole("link", { name: list }).click();
      await page.getByText(text).waitFor();
      expect(await violations(page)).toEqual([]);
      await page.getByRole("link", { name: "Account" }).click();
    }
  });

  test("a variable is created, masked, changed and deleted, and its value is never shown while it is masked", async () => {
    const page = await web.open(places["the variables of a namespace"]!, ann);
    await page.getByText("New variable").click();
    await page.getByLabel("Name", { exact: true }).fill("PASSWORD");
    await page.getByLabel("Value", { exact: true }).fill(" two\nlines");
    await page.getByLabel("Mask the value").check();
    await button(page, "Create the variable").click();
    await says(page, "Created the variable PASSWORD.");
    await page.getByRole("link", { name: "PASSWORD" }).click();
    await page.getByRole("heading", { name: "Variable PASSWORD" }).waitFor();
    expect(await page.content()).not.toContain("lines");
    await page.getByLabel("Mask the value").uncheck();
    await button(page, "Save").click();
    await page.getByRole("alert").waitFor();
    await page.getByLabel("New value").fill("shown");
    await button(page, "Save").click();
    await says(page, "Changed the variable.");
    await page.getByRole("definition").getByText("shown", { exact: true }).waitFor();
    await page.reload();
    expect(await page.getByLabel("New value").inputValue()).toBe("shown");
    await remove(page, "the variable PASSWORD");
    await page.waitForURL(/-\/variables$/);
    await says(page, "Deleted the variable PASSWORD.");
    await page.getByRole("link", { name: "LEVEL" }).waitFor();
    expect(await page.getByRole("link", { name: "PASSWORD" }).count()).toBe(0);
  });

  test("the value of a variable keeps its lines and the spaces around it", async () => {
    const page = await web.open("/variables", ann);
    await page.getByText("New variable").click();
    await page.getByLabel("Name", { exact: true }).fill("LINES");
    await page.getByLabel("Value", { exact: true }).fill(" one\ntwo ");
    await button(page, "Create the variable").click();
    await says(page, "Created the variable LINES.");
    const [variable] = (await ann.get("/variables?search=LINES")).json;
    expect([variable.value, variable.namespace]).toEqual([" one\ntwo ", null]);
  });

  test("the name of a variable stays in one line beside a long value", async () => {
    const [user, names] = [await web.ci.signUp(), ["LONG_VALUE", "SHORT"]];
    created(await user.post("/variables", { key: names[0], value: "x".repeat(500) }));
    created(await user.post("/variables", { key: names[1], value: "x" }));
    const page = await web.open("/variables", user);
    const heights = names.map(async (name) => (await page.getByText(name, { exact: true }).boundingBox())!.height);
    const [long, short] = await Promise.all(heights);
    expect(long).toBe(short);
  });

  test("a refused form shows the server's sentence, keeps what was typed and keeps the focus", async () => {
    const page = await web.open(places["the variables of a namespace"]!, ann);
    await page.getByText("New variable").click();
    await page.getByLabel("Name", { exact: true }).fill("LEVEL");
    await page.getByLabel("Value", { exact: true }).fill("again");
    await button(page, "Create the variable").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("Key already exists").waitFor();
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("LEVEL");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Create the variable");
  });

  test("a refusal does not stand beside the confirmation of what was done before", async () => {
    const page = await web.open(places["the variables of a namespace"]!, ann);
    await page.getByText("New variable").click();
    for (const sentence of ["Created the variable TWICE.", "Key already exists"]) {
      await page.getByLabel("Name", { exact: true }).fill("TWICE");
      await page.getByLabel("Value", { exact: true }).fill("once");
      await button(page, "Create the variable").click();
      await page.getByText(sentence).waitFor();
    }
    expect(await page.getByText("Created the variable TWICE.").count()).toBe(0);
  });

  test("deleting asks first, by keyboard alone, and the focus stays near", async () => {
    created(await ann.post("/variables", { key: "GONE", value: "soon" }));
    const page = await web.open("/variables?search=GONE", ann);
    const focused = () => page.evaluate("document.activeElement.textContent");
    await button(page, "Delete the variable GONE").focus();
    await page.keyboard.press("Enter");
    expect(await focused()).toBe("Cancel");
    await page.keyboard.press("Enter");
    expect(await focused()).toBe("Delete");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Enter");
    await says(page, "Deleted the variable GONE.");
    await eventually(async () => expect(await focused()).toBe("Deleted the variable GONE."));
  });

  test("a key is stored without showing its private half again, and its configuration can be changed", async () => {
    const page = await web.open("/keys", ann);
    await page.getByText("New key").click();
    await page.getByLabel("Name", { exact: true }).fill("clone");
    await page.getByLabel("Private key").fill(aPrivateKey());
    await button(page, "Store the key").click();
    await says(page, "Stored the key clone.");
    await page.getByRole("link", { name: "clone" }).click();
    await page.getByLabel("SSH client settings").fill("Host git\n  User bot");
    await button(page, "Save").click();
    await says(page, "Changed the configuration.");
    await page.reload();
    await shown(page);
    expect(await page.getByLabel("SSH client settings").inputValue()).toBe("Host git\n  User bot");
    expect(await page.content()).not.toContain("PRIVATE KEY");
  });

  test("an upload shows its progress, can be cancelled, and is complete in the end", async () => {
    const page = await web.open(places["the images of a namespace"]!, ann);
    const limitUploads = await slowUploads(page);
    await limitUploads(MiB / 16);
    const disk = aDisk({ sizeBytes: 12 * MiB });
    await page.getByText("New image").click();
    await page.getByLabel("File").setInputFiles(file("disk 1.2.qcow2", disk));
    await button(page, "Upload the image").click();
    await page.getByText(/^[1-9].* of 12 MiB$/).waitFor();
    const bar = page.getByRole("progressbar", { name: "Uploading the image" });
    expect(Number(await bar.getAttribute("value"))).toBeGreaterThan(0);
    await button(page, "Cancel the upload").click();
    await page.getByRole("alert").getByText("You cancelled the upload.").waitFor();
    await limitUploads(-1);
    await button(page, "Upload the image").click();
    await says(page, "Uploaded the image disk-1-2.");
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download disk-1-2" }).click();
    expect(readFileSync(await (await download).path()).equals(disk)).toBe(true);
  });

  test("a file that the server refuses shows why", async () => {
    const page = await web.open("/images", ann);
    await page.getByText("New image").click();
    await page
      .getByLabel("File")
      .setInputFiles({ ...file("disk", Buffer.from("no disk")), mimeType: "application/json" });
    await button(page, "Upload the image").click();
    await page.getByRole("alert").getByText("QCOW2").waitFor();
    await page.goto(`${web.ci.url}/objects`);
    await page.getByText("New object").click();
    await page.getByLabel("File").setInputFiles(file("big", Buffer.alloc(8 * MiB)));
    await button(page, "Upload the object").click();
    await page.getByRole("alert").getByText("file too large, cannot exceed 5 MB.").waitFor();
  });

  test("a file of JSON is an object named after it, and is found, downloaded and deleted", async () => {
    const page = await web.open(places["the objects of a namespace"]!, ann);
    await page.getByText("New object").click();
    await page
      .getByLabel("File")
      .setInputFiles({ ...file("a b.json", Buffer.from("{}")), mimeType: "application/json" });
    await button(page, "Upload the object").click();
    await says(page, "Uploaded the object a-b.json.");
    await page.getByLabel("Part of the name").fill("JSON");
    await button(page, "Find").click();
    await page.waitForURL(/\?search=JSON$/);
    await page.getByRole("link", { name: "a-b.json", exact: true }).click();
    await page.getByText("2 B (2 bytes)").waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download" }).click();
    expect((await download).suggestedFilename()).toBe("a-b.json");
    await remove(page, "the object a-b.json");
    await says(page, "Deleted the object a-b.json.");
    await page.getByRole("link", { name: "ca.pem", exact: true }).waitFor();
    expect(await page.getByRole("link", { name: "a-b.json", exact: true }).count()).toBe(0);
  });

  test("an image that the server cannot download says why", async () => {
    await using source = await receiver({ answer: () => ({ status: 404 }) });
    const page = await web.open("/images", ann);
    await page.getByText("New image").click();
    await page.getByLabel("Address").fill(`${source.url}/disk`);
    await page.getByLabel("Name", { exact: true }).last().fill("missing");
    await button(page, "Download the image").click();
    await says(page, "The server is downloading the image missing.");
    await page.getByText(/^download failed: .*404/).waitFor();
    await remove(page, "the image missing");
    await says(page, "Deleted the image missing.");
  });

  test("a cron job is created, changed, run and deleted", async () => {
    const page = await web.open("/cron", ann);
    await page.getByText("New cron job").click();
    await page.getByLabel("Name", { exact: true }).fill("weekly check");
    await page.getByLabel("Schedule").fill("sometimes");
    await page.getByLabel("Manifest").fill(aManifest({ namespace }));
    await button(page, "Create the cron job").click();
    await page.getByRole("alert").getByText("invalid schedule sometimes").waitFor();
    await page.getByLabel("Schedule").fill("30 4 * * 1");
    await page.getByLabel("Time zone").fill("Europe/Berlin");
    await button(page, "Create the cron job").click();
    await says(page, "Created the cron job weekly check.");
    await page.getByText("30 4 * * 1 Europe/Berlin").waitFor();
    await page.getByRole("link", { name: "weekly check" }).click();
    await page.getByText("No builds yet.").waitFor();
    const hoursAhead = `30 ${(new Date().getUTCHours() + 12) % 24} * * *`;
    await page.getByLabel("Schedule").fill(hoursAhead);
    await button(page, "Save").click();
    await says(page, "Changed the cron job.");
    await page.getByText(`${hoursAhead} Europe/Berlin`).waitFor();
    await page.getByText(/, in \d+ h/).waitFor();
    await button(page, "Run now").click();
    await page.waitForURL(/\/b\//);
    await page.goBack();
    await page.getByRole("link", { name: /^weekly check/ }).waitFor();
    await page.getByRole("link", { name: "All builds" }).click();
    await page.getByRole("link", { name: /^weekly check/ }).waitFor();
    await page.goto(`${web.ci.url}/n/${ann.username}/${namespace}`);
    const crons = page.getByRole("region", { name: "Cron jobs" }).getByRole("listitem");
    await crons
      .filter({ hasText: "weekly check" })
      .getByText(/^next run in \d+ h/)
      .waitFor();
    await crons.getByRole("link", { name: "weekly check" }).click();
    await remove(page, "the cron job weekly check");
    await says(page, "Deleted the cron job weekly check. Its builds are kept.");
  });

  membersAndTokens(web);
});
