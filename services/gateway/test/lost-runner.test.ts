import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "@ci/testkit/eventually";
import { type Processes, startProcesses } from "@ci/testkit/processes";
import { type Receiver, receiver } from "@ci/testkit/receiver";
import { sharedFolder } from "@ci/testkit/shared-folder";
import { suite } from "@ci/testkit/suite";

const names = suite();
const dir = sharedFolder("ci-lost-runner-");
let on: Processes;
let hook: Receiver;

beforeAll(async () => {
  hook = await receiver();
  // The default lease of 15 s: a live runner renews it even on a busy host.
  on = await startProcesses(names);
});
afterAll(async () => {
  await on?.[Symbol.asyncDispose]();
  await hook?.[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true, force: true });
});

const kinds = () => hook.requests.map((request) => request.headers["x-service-ci-event"]);

it("a build survives a kill -9 of its runner and finishes exactly once", async () => {
  await on.api.post("/namespaces", { name: "lost" });
  await on.api.post("/n/admin/lost/-/webhooks", { payload_url: hook.url });
  const [begun, goOn] = [join(dir, "begun"), join(dir, "go-on")];
  const commands = [`[ -e ${begun} ] || touch ${begun}`, `while [ ! -e ${goOn} ]; do sleep 0.05; done`, "echo done"];
  const manifest = JSON.stringify({
    namespace: "lost",
    driver: { type: "os" },
    stages: ["s"],
    jobs: [{ stage: "s", commands }],
  });
  const { json: build } = await on.api.post("/builds", { manifest });
  await eventually(() => expect(existsSync(begun)).toBe(true));

  await on.kill("runner");
  await eventually(async () => expect((await on.api.get(build.url)).json.status).toBe("queued"));
  writeFileSync(goOn, "");
  await on.start("runner");

  await eventually(async () => expect((await on.api.get(build.url)).json.finished_at).not.toBeNull());
  const { json: ended } = await on.api.get(build.url);
  expect(ended).toMatchObject({ status: "passed", tags: ["orphaned"] });
  expect(ended.output).toContain("Runner lost, build queued again (1 of 2)\n");
  await eventually(() => expect(kinds()).toContain("build.finished"));
  expect(kinds()).toEqual(["build.submitted", "build.started", "build.started", "build.finished"]);
});
