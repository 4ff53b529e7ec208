import { setTimeout as delay } from "node:timers/promises";
import { eventually } from "@ci/testkit/eventually";
import { type Processes, startProcesses } from "@ci/testkit/processes";
import { type Receiver, receiver } from "@ci/testkit/receiver";
import { suite } from "@ci/testkit/suite";

const names = suite();
let on: Processes;
let hook: Receiver;

beforeAll(async () => {
  // A slow receiver, so that the kill comes in mid-delivery.
  hook = await receiver({
    answer: async () => {
      await delay(20);
      return { status: 200 };
    },
  });
  on = await startProcesses(names);
});
afterAll(async () => {
  await on?.[Symbol.asyncDispose]();
  await hook?.[Symbol.asyncDispose]();
});

const keys = () => hook.requests.map(({ body }) => JSON.parse(body.toString()).variable.key as string);

it("deliveries survive a kill -9: all arrive, first attempts in order, and the log is complete", async () => {
  await on.api.post("/namespaces", { name: "lost" });
  const { json: webhook } = await on.api.post("/n/admin/lost/-/webhooks", { payload_url: hook.url });
  const all = Array.from({ length: 60 }, (_, nth) => `K${nth}`);
  for (const [nth, key] of all.entries()) {
    await on.api.post("/variables", { key, value: "v", namespace: "lost" });
    if (nth !== 30) continue;
    await eventually(() => expect(hook.requests.length).toBeGreaterThan(3));
    await on.kill("webhooks");
  }
  const before = hook.requests.length;
  expect(before).toBeLessThan(60);
  await on.start("webhooks");
  // The dead process's leases on the lane and on events have to expire.
  await eventually(() => expect(new Set(keys()).size).toBe(60));
  const first = keys().filter((key, nth, sent) => sent.indexOf(key) === nth);
  expect(first).toEqual(all);
  await eventually(async () => {
    const { json } = await on.api.get(`${webhook.url}/deliveries?page=3`);
    expect(json.map(({ status }: { status: string }) => status)).toEqual(json.map(() => "delivered"));
    expect(json).toHaveLength(10);
  });
});
