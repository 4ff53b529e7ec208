import { join } from "node:path";
import { eventually } from "@ci/testkit/eventually";
import { type Processes, startProcesses } from "@ci/testkit/processes";
import { receiver } from "@ci/testkit/receiver";
import { suite } from "@ci/testkit/suite";

// The machines' clocks differ by more than a lease.

const names = suite();
let on: Processes;
beforeAll(async () => {
  on = await startProcesses(names, {
    NODE_OPTIONS: `--require=${join(__dirname, "_clock-off.cjs")}`,
    CLOCKS_OFF: "namespaces=20000,builds=-20000,images=20000,webhooks=40000,runner=-40000,gateway=-60000",
  });
});
afterAll(() => on?.[Symbol.asyncDispose]());

const manifest = `
namespace: skewed
driver: {type: os}
stages: [test]
jobs:
- {stage: test, commands: [echo tested]}
`;

it("builds pass, and webhooks get every event after their creation", async () => {
  await using hook = await receiver();
  await on.api.post("/namespaces", { name: "skewed" });
  const made = await on.api.post("/n/admin/skewed/-/webhooks", { payload_url: hook.url });
  expect(made.status).toBe(201);
  const { json: build } = await on.api.post("/builds", { manifest });
  await eventually(async () => expect((await on.api.get(`/b/admin/${build.number}`)).json.status).toBe("passed"));
  const kinds = () => hook.requests.map(({ headers }) => headers["x-service-ci-event"]).sort();
  await eventually(() => expect(kinds()).toEqual(["build.finished", "build.started", "build.submitted"]));
  const { started_at: startedAt, finished_at: finishedAt } = (await on.api.get(`/b/admin/${build.number}`)).json;
  expect(Date.parse(build.created_at)).toBeGreaterThanOrEqual(Date.parse(made.json.created_at));
  expect(Date.parse(startedAt)).toBeGreaterThanOrEqual(Date.parse(build.created_at));
  expect(Date.parse(finishedAt)).toBeGreaterThanOrEqual(Date.parse(startedAt));
}, 120_000);
