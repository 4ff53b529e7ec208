import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "@ci/testkit/eventually";
import { type Processes, startProcesses } from "@ci/testkit/processes";
import { type Receiver, receiver } from "@ci/testkit/receiver";
import { sharedFolder } from "@ci/testkit/shared-folder";
import { suite } from "@ci/testkit/suite";

const names = suite();
const dir = sharedFolder("ci-lost-runner-");
let ci: Processes;
let hook: Receiver;

beforeAll(async () => {
  hook = await receiver();
  ci = await startProcesses(names, { LEASE: "60s" });
});
afterAll(async () => {
  await ci?.[Symbol.asyncDispose]();
  await hook?.[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true, force: true });
});

const kinds = () => hook.requests.map((request) => request.headers["x-service-ci-event"]);

it("a build whose runner is killed runs again and finishes exactly once", async () => {
  await ci.api.post("/namespaces", { name: "lost" });
  await ci.api.post("/n/admin/lost/-/webhooks", { payload_url: hook.url });
  const [startedFile, continueFile] = [join(dir, "begun"), join(dir, "go-on")];
  const commands = [
    `[ -e ${startedFile} ] || touch ${startedFile}`,
    `while [ ! -e ${continueFile} ]; do sleep 0.05; done`,
    "echo done",
  ];
  const manifest = JSON.stringify({
    namespace: "lost",
    driver: { type: "os" },
    stages: ["s"],
    jobs: [{ stage: "s", commands }],
  });
  const { json: build } = await ci.api.post("/builds", { manifest });
  await eventually(() => expect(existsSync(startedFile)).toBe(true));

  await ci.kill("runner");
  await eventually(async () => expect((await ci.api.get(build.url)).json.status).toBe("queued"), {
    withinMs: 120_000,
  });
  writeFileSync(continueFile, "");
  await ci.start("runner");

  await eventually(async () => expect((await ci.api.get(build.url)).json.finished_at).not.toBeNull());
  const { json: ended } = await ci.api.get(build.url);
  expect(ended).toMatchObject({ status: "passed", tags: ["orphaned"] });
  expect(ended.output).toContain("Runner lost, build queued again (1 of 2)\n");
  await eventually(() => expect(kinds()).toContain("build.finished"));
  expect(kinds()).toEqual(["build.submitted", "build.started", "build.started", "build.finished"]);
});
