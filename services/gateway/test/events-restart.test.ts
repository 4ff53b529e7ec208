import { apiAt } from "@ci/testkit/api";
import { eventually } from "@ci/testkit/eventually";
import { type Processes, startProcesses } from "@ci/testkit/processes";
import { suite } from "@ci/testkit/suite";
import { listen } from "./_sse.js";

const names = suite();
const events = "/n/admin/watched/-/events";
let on: Processes;
beforeAll(async () => {
  on = await startProcesses(names);
});
afterAll(() => on?.[Symbol.asyncDispose]());

it("a stream resumes at another gateway after a kill -9 of the service, without loss or repetition", async () => {
  const origin = `http://${await on.addReplica("gateway")}`;
  const there = apiAt({ publicUrl: on.origin, origin, token: on.token });
  await on.api.post("/namespaces", { name: "watched" });
  const all = Array.from({ length: 60 }, (_, nth) => `K${nth}`);
  const here = await listen(on.api, events);
  for (const [nth, key] of all.entries()) {
    await on.api.post("/variables", { key, value: "v", namespace: "watched" });
    if (nth === 30) await on.kill("webhooks");
  }
  await here.closed;
  const before = here.events();
  expect(before.length).toBeLessThan(60);
  await on.start("webhooks");
  // The dead process's lease on recording has to expire.
  const last = here.blocks.at(-1)!.id;
  await eventually(
    async () => {
      using again = await listen(there, events, last);
      const keys = () => [...before, ...again.events()].map(({ data }) => data.variable.key);
      await eventually(() => expect(keys().length).toBeGreaterThanOrEqual(60), { withinMs: 30_000 });
      expect(keys()).toEqual(all);
    },
    { withinMs: 150_000 },
  );
}, 240_000);
