// Runs the built binary, cli/dist/main.js.

import { constellation, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { type Answer, type Received, receiver } from "@ci/testkit/receiver";
import { verifyDelivery } from "@service-ci/client";
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

const secret = "s".repeat(32);
const create = (namespace: string, key: string) => ann.post("/variables", { namespace, key, value: "ü€\u2028" });
const keyOf = ({ body }: Received): string => JSON.parse(body.toString()).variable.key;

async function forwardTo(address: string, namespace: string, ...more: string[]) {
  await user.out("ns", "create", namespace);
  const running = user.start(["webhooks", "forward", address, "-n", namespace, ...more]);
  await running.shows(`Forwarding events to ${address}`);
  return running;
}

test("events are forwarded with the body, the headers and the signatures of a webhook, in order", async () => {
  await using remote = await receiver();
  await using local = await receiver();
  const running = await forwardTo(local.url, "same", "--secret", secret, "--kind", "variables");
  await user.out("webhooks", "create", remote.url, "-n", "same", "--secret", secret, "--events", "variables");
  await user.out("ns", "update", "same", "--description", "another kind of event");
  for (const key of ["A", "B", "C"]) await create("same", key);
  await eventually(() => expect([remote.requests.length, local.requests.length]).toEqual([3, 3]));
  expect(local.requests.map(keyOf)).toEqual(["A", "B", "C"]);
  for (const [nth, { method, headers, body }] of local.requests.entries()) {
    const webhook = remote.requests[nth]!;
    expect([method, body.toString()]).toEqual([webhook.method, webhook.body.toString()]);
    const { id } = await verifyDelivery({ headers, body: body.toString() }, secret);
    expect(id).toBe(headers["x-service-ci-delivery"]);
    for (const name of ["content-type", "accept", "user-agent", "x-service-ci-event", "x-service-ci-signature"])
      expect([name, headers[name]]).toEqual([name, webhook.headers[name]]);
    expect(Object.keys(headers)).toEqual(expect.arrayContaining(Object.keys(webhook.headers)));
  }
  await eventually(() => expect(running.stdout).toMatch(/^(\d+\tvariables\t200\t\d+ ms\n){3}$/));
  running.child.kill("SIGINT");
  expect((await running.ended).code).toBe(130);
});

test("a failure is printed and not repeated, and later events are sent", async () => {
  const answers: Answer[] = [{ status: 500 }, { status: 302, headers: { Location: "/elsewhere" } }];
  await using local = await receiver({ answer: () => answers.shift() ?? { status: 204 } });
  const running = await forwardTo(local.url, "failing", "--json");
  for (const key of ["A", "B", "C"]) await create("failing", key);
  await eventually(() => expect(running.stdout.trim().split("\n")).toHaveLength(3));
  const printed = running.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(printed.map(({ code, error }) => [code, error])).toEqual([
    [500, "unexpected status 500"],
    [302, "unexpected status 302"],
    [204, null],
  ]);
  expect(local.requests.map(keyOf)).toEqual(["A", "B", "C"]);
  expect(local.requests[0]!.headers).not.toHaveProperty("webhook-signature");
});

test("events of the last day are sent to a receiver that is not there", async () => {
  const gone = await receiver();
  await gone[Symbol.asyncDispose]();
  await user.out("ns", "create", "past");
  await create("past", "A");
  const running = user.start(["webhooks", "forward", gone.url, "-n", "past", "--after", "0", "--kind", "variables"]);
  await running.shows("\tvariables\tconnect ECONNREFUSED");
});

test.each([
  [["localhost:3000"], '"localhost:3000" is not an address. It begins with http:// or https://'],
  [["http://a:b@localhost"], "leave out the user"],
  [["http://localhost", "--secret", ""], "The value of --secret is empty"],
])("%j is refused", async (words, message) => {
  const { code, stderr } = await user.run(["webhooks", "forward", ...words, "-n", "none"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});
