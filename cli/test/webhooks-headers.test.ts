// Runs the built binary, cli/dist/main.js.

import { constellation, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { receiver } from "@ci/testkit/receiver";
import { Ci } from "./_ci.js";

const ci = constellation();
let ann: SignedUp;
let user: Ci;
beforeAll(async () => {
  ann = await ci.signUp();
  user = new Ci();
  await user.run(["login", `${ci.origin}/api`], { input: ann.token });
});
afterAll(() => user[Symbol.dispose]());

async function aWebhook(url: string, namespace: string) {
  await user.out("ns", "create", namespace);
  await user.out("webhooks", "create", url, "-n", namespace, "--events", "variables");
  const headers = ["webhooks", "headers", url, "-n", namespace];
  const sent = () => ann.post("/variables", { namespace, key: "KEY", value: "v" });
  return { headers, sent };
}

test("headers are set from standard input and the environment, and removed, while others stay", async () => {
  await using inbox = await receiver();
  const { headers, sent } = await aWebhook(inbox.url, "headers");
  expect(await user.run(headers)).toMatchObject({ code: 0, stdout: "", stderr: /no headers/ });
  const given = ["--set", "Authorization=-", "--set", "X-Old=old", "--from-env", "X-Key=THE_KEY"];
  const set = await user.run([...headers, ...given], { input: "Bearer abc\n", env: { THE_KEY: "the key" } });
  expect(set).toMatchObject({ code: 0, stdout: "Authorization: xxxxxx\nX-Old: xxxxxx\nX-Key: xxxxxx\n" });
  expect((await user.out(...headers, "--remove", "x-old", "--set", "x-new=new", "-q")).trim()).toBe(
    "Authorization\nX-Key\nx-new",
  );
  await sent();
  await eventually(() => expect(inbox.requests).toHaveLength(1));
  const [request] = inbox.requests;
  expect(request!.headers).toMatchObject({ authorization: "Bearer abc", "x-key": "the key", "x-new": "new" });
  expect(request!.headers).not.toHaveProperty("x-old");
});

test("a rate limit is set, shown and removed", async () => {
  await using inbox = await receiver();
  await aWebhook(inbox.url, "limited");
  const limit = ["webhooks", "rate-limit", inbox.url, "-n", "limited"];
  expect(await user.run(limit)).toMatchObject({ code: 0, stdout: "", stderr: /no rate limit/ });
  expect(await user.out(...limit, "--set", "20")).toBe("20\n");
  expect(await user.out(...limit)).toBe("20\n");
  expect(JSON.parse(await user.out(...limit, "--remove", "--json"))).toEqual({ per_second: 0 });
  expect(await user.run([...limit, "--set", "5", "--remove"])).toMatchObject({ code: 2, stderr: /Only one of/ });
  expect(await user.run([...limit, "--set", "5000"])).toMatchObject({ stderr: /whole number from 0 to 1000/ });
});

test("a filter is given with a new webhook, replaced, shown and removed", async () => {
  const [url, n] = ["http://example.com/in", ["-n", "filtered"]];
  await user.out("ns", "create", "filtered");
  const given = ["--filter", "status=failed", "--filter", "status=killed", "--filter", "number=5"];
  await user.out("webhooks", "create", url, ...n, ...given, "--filter", 'trigger.data.n="5"');
  const filter = { status: ["failed", "killed"], number: [5], "trigger.data.n": ["5"] };
  expect(await user.json("webhooks", "show", url, ...n)).toMatchObject({ filter });
  expect(await user.out("webhooks", "list", ...n)).toMatch(
    /\tstatus=failed, status=killed, number=5, trigger\.data\.n="5"\n$/,
  );
  const update = ["webhooks", "update", url, ...n];
  expect(await user.json(...update, "--active", "false")).toMatchObject({ active: false, filter });
  expect(await user.out(...update, "--filter", "pinned=true")).toMatch(/^filter +pinned=true$/m);
  const two = await user.run([...update, "--filter", "pinned=true", "--remove-filter"]);
  expect(two).toMatchObject({ code: 2, stderr: expect.stringContaining("Only one of --filter and --remove-filter") });
  const wrong = await user.run([...update, "--filter", "pinned"]);
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("--filter: A condition has the form") });
  const unknown = await user.run([...update, "--filter", "build.statuss=failed"]);
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining("Filter path build.statuss is in none") });
  expect(await user.json(...update, "--remove-filter")).toMatchObject({ active: false, filter: null });
});

test.each([
  [["--from-env", "A=NO_SUCH_VARIABLE"], 'The environment lacks the variable for the header "A"'],
  [["--remove", "A"], 'The webhook has no header "A"'],
  [["--set", "A=-", "--set", "B=-"], "Only one header can have the value -"],
  [["--set", "Host=a"], "Headers name Host is reserved"],
])("%j is refused", async (given, message) => {
  await using inbox = await receiver();
  const { headers } = await aWebhook(inbox.url, `refused${given.join("").replaceAll(/\W/g, "")}`);
  const { code, stderr } = await user.run([...headers, ...given]);
  expect(code).toBeGreaterThan(0);
  expect(stderr).toContain(message);
});

test("a test and a redelivery wait for the outcome, which decides the exit code", async () => {
  let status = 500;
  await using inbox = await receiver({ answer: () => ({ status }) });
  await aWebhook(inbox.url, "waits");
  const tested = await user.run(["webhooks", "test", inbox.url, "-n", "waits", "--json"]);
  const { id, ...delivery } = JSON.parse(tested.stdout);
  expect([tested.code, delivery]).toEqual([1, expect.objectContaining({ status: "failed", code: 500 })]);
  status = 204;
  const again = await user.out("webhooks", "redeliver", inbox.url, String(id), "-n", "waits");
  expect(again).toMatch(/^status +delivered$/m);
});

test("show counts the deliveries of a webhook", async () => {
  await using inbox = await receiver();
  const { sent } = await aWebhook(inbox.url, "counted");
  await sent();
  const show = (...more: string[]) => user.out("webhooks", "show", inbox.url, "-n", "counted", ...more);
  await eventually(async () =>
    expect(await show()).toMatch(/deliveries +0 pending, 1 delivered, 0 failed, 0 cancelled$/m),
  );
  const shown = await user.out("webhooks", "test", inbox.url, "-n", "counted");
  expect(shown).toMatch(/^status +delivered$/m);
  expect(shown).not.toContain("payload");
  await eventually(async () => expect(await show()).toContain("2 delivered, 0 failed, 0 cancelled (1 of them tests)"));
  expect(JSON.parse(await show("--json"))).not.toHaveProperty("deliveries");
  expect(JSON.parse(await user.out("webhooks", "stats", inbox.url, "-n", "counted", "--json"))).toMatchObject({
    delivered: 2,
    tests: 1,
    at_least: [],
  });
});
