import { aManifest, aWord } from "@ci/testkit/builders";
import { created, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { receiver } from "@ci/testkit/receiver";
import { inBrowser } from "./_browser.js";

inBrowser((web) => {
  let ann: SignedUp;
  beforeAll(async () => {
    ann = await web.ci.signUp();
  });

  test("a webhook's page sets and removes headers, never shows values, and counts deliveries", async () => {
    await using inbox = await receiver({ answer: () => ({ status: 410 }) });
    const { name } = created(await ann.post("/namespaces", { name: aWord("ns") }));
    const hook = created(await ann.post(`/n/${ann.username}/${name}/-/webhooks`, { payload_url: inbox.url }));
    const page = await web.open(hook.url.slice(web.ci.url.length), ann);
    const press = (label: string) => page.getByRole("button", { name: label, exact: true }).click();
    const set = async (header: string, value: string) => {
      await page.getByLabel("Name", { exact: true }).fill(header);
      await page.getByLabel("Value", { exact: true }).fill(value);
      await press("Set the header");
    };
    await page.getByText("Headers", { exact: true }).click();
    await set("Host", "a");
    await page.getByRole("alert").getByText("Headers name Host is reserved").waitFor();
    await set("Authorization", "Bearer hidden-text");
    await page.getByText("Set the header Authorization.").waitFor();
    await set("X-Old", "old");
    await page.getByRole("button", { name: "Remove X-Old" }).waitFor();
    await set("authorization", "Bearer other-text");
    await page.getByRole("button", { name: "Remove authorization", exact: true }).waitFor();
    await press("Remove X-Old");
    await page.getByText("Removed the header X-Old.").waitFor();
    expect((await ann.get(`${hook.url}/headers`)).json).toEqual({ headers: { authorization: "xxxxxx" } });
    expect(await page.content()).not.toContain("other-text");

    const at = `${hook.url}/headers`;
    await ann.send("PUT", at, { json: { headers: { authorization: "xxxxxx", "X-Elsewhere": "a" } } });
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/headers", async (route) => {
      if (route.request().method() === "PUT") await released;
      await route.continue();
    });
    await set("X-Late", "b");
    await page.locator("button:disabled", { hasText: "Remove authorization" }).waitFor();
    release();
    await page.getByText("Set the header X-Late.").waitFor();
    expect(Object.keys((await ann.get(at)).json.headers).sort()).toEqual(["X-Elsewhere", "X-Late", "authorization"]);

    await ann.post("/variables", { namespace: name, key: "KEY", value: "v" });
    await eventually(() => expect(inbox.requests).toHaveLength(1));
    expect(inbox.requests[0]!.headers).toMatchObject({ authorization: "Bearer other-text" });
    expect(inbox.requests[0]!.headers).not.toHaveProperty("x-old");
    await eventually(async () => expect((await ann.get(`${hook.url}/stats`)).json.failed).toBe(1));
    await page.reload();
    await page.getByRole("link", { name: "1 failed" }).click();
    await page.getByRole("link", { name: /^variables/ }).waitFor();
  });

  test("a webhook's page sets its rate limit", async () => {
    const { name } = created(await ann.post("/namespaces", { name: aWord("ns") }));
    const payload_url = "http://example.com/in";
    const hook = created(await ann.post(`/n/${ann.username}/${name}/-/webhooks`, { payload_url }));
    const page = await web.open(hook.url.slice(web.ci.url.length), ann);
    await page.getByText("Rate limit", { exact: true }).click();
    await page.getByLabel("Requests per second").fill("5");
    await page.getByRole("button", { name: "Set the limit" }).click();
    await page.getByText("The limit is 5 requests per second.").waitFor();
    expect((await ann.get(`${hook.url}/rate-limit`)).json).toEqual({ per_second: 5 });
  });

  test("a webhook's page sets and removes its filter, and complains about a wrong one", async () => {
    const { name } = created(await ann.post("/namespaces", { name: aWord("ns") }));
    const path = `/n/${ann.username}/${name}/-/webhooks`;
    const page = await web.open(path, ann);
    await page.getByLabel("Address", { exact: true }).fill("http://example.com/in");
    await page.getByLabel("Filter", { exact: true }).fill("status=failed\n\n status = killed\nnumber=5\n");
    await page.getByRole("button", { name: "Add the webhook" }).click();
    await page.getByText("all events, filtered").waitFor();
    const read = async () => (await ann.get(path)).json[0].filter;
    expect(await read()).toEqual({ status: ["failed", "killed"], number: [5] });
    await page.getByRole("link", { name: "http://example.com/in" }).click();
    await page.getByText("status=failed, status=killed, number=5").waitFor();
    await page.getByText("Change", { exact: true }).click();
    const field = page.getByLabel("Filter", { exact: true });
    expect(await field.inputValue()).toBe("status=failed\nstatus=killed\nnumber=5");
    const save = async (text: string) => {
      await field.fill(text);
      await page.getByRole("button", { name: "Save" }).click();
    };
    await save("status");
    expect(await field.evaluate((typed) => Reflect.get(typed, "validationMessage"))).toMatch(
      "A condition has the form PATH=VALUE",
    );
    await save("status=fialed");
    await page.getByRole("alert").getByText('Filter status is "fialed" in none of the webhook\'s events').waitFor();
    await save("");
    await page.getByText("Changed the webhook.").waitFor();
    expect(await read()).toBeNull();
  });

  test("a webhook's page replays what happened before the webhook existed", async () => {
    await using inbox = await receiver();
    const { name } = created(await ann.post("/namespaces", { name: aWord("ns") }));
    await ann.post("/variables", { namespace: name, key: "KEY", value: "v" });
    const payload_url = inbox.url;
    const hook = created(await ann.post(`/n/${ann.username}/${name}/-/webhooks`, { payload_url, active: false }));
    const page = await web.open(hook.url.slice(web.ci.url.length), ann);
    await page.getByRole("button", { name: "Turn on" }).click();
    await page.getByText("Missed events", { exact: true }).click();
    await page.getByRole("button", { name: "Replay missed events" }).click();
    await page.getByText(/^Sending \d+ missed events?\.$/).waitFor();
    await page.getByRole("link", { name: /^variables/ }).waitFor();
    await eventually(() => expect(inbox.requests).toHaveLength(1));
    await page.getByRole("button", { name: "Replay missed events" }).click();
    await page.getByText("The webhook has missed nothing.").waitFor();
  });

  test("the page of a namespace says which webhooks were turned off", async () => {
    await using gone = await receiver({ answer: () => ({ status: 410 }) });
    const { name } = created(await ann.post("/namespaces", { name: aWord("ns") }));
    const path = `/n/${ann.username}/${name}`;
    created(await ann.post(`${path}/-/webhooks`, { payload_url: gone.url }));
    created(await ann.post("/builds", { manifest: aManifest({ namespace: name }) }));
    const page = await web.open(path, ann);
    const reason = "is turned off because the receiver responded with 410 Gone.";
    await page.getByText(`The webhook ${gone.url} ${reason}`).waitFor();
  });
});
