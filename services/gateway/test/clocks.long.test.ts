import { join } from "node:path";
import { eventually } from "@ci/testkit/eventually";
import { type Processes, startProcesses } from "@ci/testkit/processes";
import { receiver } from "@ci/testkit/receiver";
import { suite } from "@ci/testkit/suite";

// The clocks differ by more than a lease.

const names = suite();
let ci: Processes;
beforeAll(async () => {
  ci = await startProcesses(names, {
    LEASE: "60s",
    NODE_OPTIONS: `--require=${join(__dirname, "_clock-off.cjs")}`,
    CLOCKS_OFF: "namespaces=80000,builds=-80000,images=80000,webhooks=160000,runner=-160000,gateway=-240000",
  });
});
afterAll(() => ci?.[Symbol.asyncDispose]());

const manifest = `
namespace: skewed
driver: {type: os}
stages: [test]
jobs:
- {stage: test, commands: [echo tested]}
`;

it("builds pass and webhooks receive every event although the services' clocks differ", async () => {
  await using hook = await receiver();
  await ci.api.post("/namespaces", { name: "skewed" });
  const webhook = await ci.api.post("/n/admin/skewed/-/webhooks", { payload_url: hook.url });
  expect(webhook.status).toBe(201);
  const { json: build } = await ci.api.post("/builds", { manifest });
  await eventually(async () => expect((await ci.api.get(`/b/admin/${build.number}`)).json.status).toBe("passed"));
  const kinds = () => hook.requests.map(({ headers }) => headers["x-service-ci-event"]).sort();
  await eventually(() => expect(kinds()).toEqual(["build.finished", "build.started", "build.submitted"]));
  const { started_at: startedAt, finished_at: finishedAt } = (await ci.api.get(`/b/admin/${build.number}`)).json;
  expect(Date.parse(build.created_at)).toBeGreaterThanOrEqual(Date.parse(webhook.json.created_at));
  expect(Date.parse(startedAt)).toBeGreaterThanOrEqual(Date.parse(build.created_at));
  expect(Date.parse(finishedAt)).toBeGreaterThanOrEqual(Date.parse(startedAt));
});
