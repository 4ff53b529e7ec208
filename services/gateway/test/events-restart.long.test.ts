import { apiAt } from "@ci/testkit/api";
import { eventually } from "@ci/testkit/eventually";
import { type Processes, startProcesses } from "@ci/testkit/processes";
import { suite } from "@ci/testkit/suite";
import { openStream } from "./_sse.js";

const names = suite();
const events = "/n/admin/watched/-/events";
let ci: Processes;
beforeAll(async () => {
  ci = await startProcesses(names);
});
afterAll(() => ci?.[Symbol.asyncDispose]());

it("a stream resumes at another gateway after the webhooks service is killed, without loss or repetition", async () => {
  const origin = `http://${await ci.addReplica("gateway")}`;
  const secondGateway = apiAt({ publicUrl: ci.origin, origin, token: ci.token });
  await ci.api.post("/namespaces", { name: "watched" });
  const sentKeys = Array.from({ length: 60 }, (_, nth) => `K${nth}`);
  const stream = await openStream(ci.api, events);
  for (const [nth, key] of sentKeys.entries()) {
    await ci.api.post("/variables", { key, value: "v", namespace: "watched" });
    if (nth === 30) await ci.kill("webhooks");
  }
  // The client leaves: otherwise the first gateway would wait for the service and go on.
  stream[Symbol.dispose]();
  await stream.closed;
  const before = stream.events();
  expect(before.length).toBeLessThan(60);
  await ci.start("webhooks");
  // The dead process's lease must expire before events are recorded again.
  const last = stream.blocks.at(-1)!.id;
  await eventually(
    async () => {
      using resumed = await openStream(secondGateway, events, last);
      const keys = () => [...before, ...resumed.events()].map(({ data }) => data.variable.key);
      await eventually(() => expect(keys().length).toBeGreaterThanOrEqual(60), { withinMs: 30_000 });
      expect(keys()).toEqual(sentKeys);
    },
    { withinMs: 150_000 },
  );
});
