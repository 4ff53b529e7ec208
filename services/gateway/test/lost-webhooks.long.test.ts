import { setTimeout as delay } from "node:timers/promises";
import { eventually } from "@ci/testkit/eventually";
import { type Processes, startProcesses } from "@ci/testkit/processes";
import { type Receiver, receiver } from "@ci/testkit/receiver";
import { suite } from "@ci/testkit/suite";

const names = suite();
let ci: Processes;
let hook: Receiver;

beforeAll(async () => {
  // A slow receiver, so that the kill happens in the middle of the deliveries.
  hook = await receiver({
    answer: async () => {
      await delay(20);
      return { status: 200 };
    },
  });
  ci = await startProcesses(names);
});
afterAll(async () => {
  await ci?.[Symbol.asyncDispose]();
  await hook?.[Symbol.asyncDispose]();
});

const keys = () => hook.requests.map(({ body }) => JSON.parse(body.toString()).variable.key as string);

it("after the webhooks service is killed all deliveries arrive, first attempts in order, and the log is complete", async () => {
  await ci.api.post("/namespaces", { name: "lost" });
  const { json: webhook } = await ci.api.post("/n/admin/lost/-/webhooks", { payload_url: hook.url });
  const sentKeys = Array.from({ length: 60 }, (_, nth) => `K${nth}`);
  for (const [nth, key] of sentKeys.entries()) {
    await ci.api.post("/variables", { key, value: "v", namespace: "lost" });
    if (nth !== 30) continue;
    await eventually(() => expect(hook.requests.length).toBeGreaterThan(3));
    await ci.kill("webhooks");
  }
  const before = hook.requests.length;
  expect(before).toBeLessThan(60);
  await ci.start("webhooks");
  // The dead process's leases on the lane and on events must expire first.
  await eventually(() => expect(new Set(keys()).size).toBe(60), { progress: () => hook.requests.length });
  const firstArrivals = keys().filter((key, nth, arrivals) => arrivals.indexOf(key) === nth);
  expect(firstArrivals).toEqual(sentKeys);
  await eventually(async () => {
    const { json } = await ci.api.get(`${webhook.url}/deliveries?page=3`);
    expect(json.map(({ status }: { status: string }) => status)).toEqual(json.map(() => "delivered"));
    expect(json).toHaveLength(10);
  });
});
