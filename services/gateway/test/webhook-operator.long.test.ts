import { created } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { type Processes, startProcesses } from "@ci/testkit/processes";
import { type Answer, type Receiver, receiver } from "@ci/testkit/receiver";
import { suite } from "@ci/testkit/suite";

// The operator's view of deliveries, and their redelivery after a kill.

const names = suite();
let ci: Processes;
let inbox: Receiver;
const responses: Record<string, () => Answer | Promise<Answer>> = {
  "/gone": () => ({ status: 410 }),
  "/broken": () => ({ status: 500 }),
  "/hang": () => new Promise(() => {}),
};

beforeAll(async () => {
  inbox = await receiver({ answer: ({ path }) => responses[path.split("?")[0]!]?.() ?? { status: 200 } });
  // Long enough to notice if a process waits for a dead process's attempt.
  ci = await startProcesses(names, { WEBHOOK_TIMEOUT: "10min", WEBHOOK_RETRIES: "1h" });
});
afterAll(async () => {
  await ci?.[Symbol.asyncDispose]();
  await inbox?.[Symbol.asyncDispose]();
});

const sentTo = (path: string) => inbox.requests.filter((request) => request.path === path);

/** Creates a webhook in a new namespace and emits an event. */
async function aWebhook(name: string, path: string) {
  const namespace = created(await ci.api.post("/namespaces", { name }));
  const record = created(await ci.api.post(`/n/admin/${name}/-/webhooks`, { payload_url: `${inbox.url}${path}` }));
  const emitEvent = async (key: string) =>
    created(await ci.api.post("/variables", { key, value: "v", namespace: name }));
  return { namespace, record, emitEvent };
}

/** Returns the webhook metrics of `/metrics` by name and labels. */
async function webhookMetrics(nth = 0): Promise<Record<string, number>> {
  const lines = (await ci.metrics("webhooks", nth)).split("\n").filter((line) => /^ci_(deliver|webhook)/.test(line));
  return Object.fromEntries(lines.map((line) => [line.replace(/ [^ ]*$/, ""), Number(line.split(" ").at(-1))]));
}

test("the log and the metrics report a webhook that is disabled by status 410, without its secrets", async () => {
  const { namespace, record, emitEvent } = await aWebhook("dead", "/gone?token=hush");
  await emitEvent("A");
  await eventually(() => expect(ci.logs("webhooks")).toContain("webhook deactivated"));
  const lines = ci
    .logs("webhooks")
    .split("\n")
    .filter((line) => line.includes("webhook deactivated"));
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: "warn", webhook: record.id, namespace: namespace.id, reason: "gone" }),
  ]);
  expect(ci.logs("webhooks")).not.toContain("hush");
  await eventually(async () =>
    expect(await webhookMetrics()).toMatchObject({
      'ci_webhooks_disabled{reason="gone"}': 1,
      'ci_webhooks_disabled{reason="failing"}': 0,
      'ci_deliveries_total{outcome="failed"}': 1,
      'ci_delivery_failures_total{class="4xx"}': 1,
    }),
  );
});

test("metrics count waiting deliveries and the age of the oldest", async () => {
  const { emitEvent } = await aWebhook("broken", "/broken");
  await emitEvent("A");
  // A retry that is not due counts as waiting but not as late.
  await eventually(async () =>
    expect(await webhookMetrics()).toMatchObject({
      'ci_delivery_failures_total{class="5xx"}': 1,
      'ci_deliveries_total{outcome="retry"}': 1,
      ci_deliveries_waiting: 1,
      ci_delivery_lag_seconds: 0,
    }),
  );
});

test("another process resends a killed process's deliveries without waiting for the attempt's timeout", async () => {
  const slow = await aWebhook("slow", "/hang");
  await slow.emitEvent("A");
  await eventually(() => expect(sentTo("/hang")).toHaveLength(1));
  await eventually(async () => {
    const { ci_deliveries_waiting: waiting, ci_delivery_lag_seconds: lag } = await webhookMetrics();
    expect(waiting).toBe(2);
    expect(lag).toBeGreaterThan(1);
  });
  await ci.addReplica("webhooks");
  await ci.kill("webhooks");
  responses["/hang"] = () => ({ status: 200 });
  await slow.emitEvent("B");
  await eventually(() => expect(sentTo("/hang")).toHaveLength(3));
  const keys = sentTo("/hang").map(({ body }) => JSON.parse(body.toString()).variable.key);
  expect(keys).toEqual(["A", "A", "B"]);
  await eventually(async () =>
    expect(await webhookMetrics(1)).toMatchObject({ ci_deliveries_waiting: 1, ci_delivery_lag_seconds: 0 }),
  );
});
