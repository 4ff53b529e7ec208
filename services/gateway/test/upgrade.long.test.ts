import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "@ci/testkit/eventually";
import { notRun } from "@ci/testkit/not-run";
import { builtTree, previousCommit } from "@ci/testkit/previous";
import { type Processes, type ServiceName, startProcesses, thisTree } from "@ci/testkit/processes";
import { type Receiver, receiver } from "@ci/testkit/receiver";
import { suite } from "@ci/testkit/suite";

const names = suite();
const commit = previousCommit();
/** The order of a rollout: a service comes before its callers. */
const rolloutOrder: readonly ServiceName[] = ["namespaces", "images", "builds", "webhooks", "runner", "gateway"];
const manifest = `namespace: team
driver: {type: os}
stages: [test]
jobs: [{stage: test, name: unit, commands: [echo "$GREETING" > out.txt, cat out.txt], artifacts: [out.txt]}]
`;
/** Routes whose records later builds do not change. */
const routes = [
  "/user",
  "/users",
  "/variables",
  "/objects",
  "/cron",
  "/b/admin/1",
  "/b/admin/1/jobs",
  "/b/admin/1/artifacts",
  "/b/admin/1/variables",
  "/b/admin/1/tags",
];
const searches = ["/variables?search=REET", "/objects?search=hin", "/cron?search=dail", "/users?search=dmi"];

describe("an upgrade from the previous commit", () => {
  if (!commit) return notRun("an upgrade from the previous commit", "the history is missing");
  let root: string;
  let ci: Processes;
  let hook: Receiver;
  beforeAll(async () => {
    root = builtTree(commit);
    hook = await receiver();
    ci = await startProcesses(names, {}, root);
  }, 1_800_000);
  afterAll(async () => {
    await ci?.[Symbol.asyncDispose]();
    await hook?.[Symbol.asyncDispose]();
    if (root) rmSync(root, { recursive: true, force: true });
  });

  const read = async (paths: readonly string[]) =>
    Object.fromEntries(await Promise.all(paths.map(async (path) => [path, (await ci.api.get(path)).json])));

  /** Submits a build and waits for its end and for the webhook's events. */
  async function expectPassedBuild(): Promise<void> {
    // The restart of a service's only replica causes 503 for a moment.
    const build = await eventually(async () => {
      const { status, json } = await ci.api.post("/builds", { manifest, tags: ["nightly"] });
      expect([status, json]).toEqual([201, json]);
      return json;
    });
    await eventually(async () => expect((await ci.api.get(build.url)).json.status).toBe("passed"));
    const events = () =>
      hook.requests
        .map(({ headers, body }) => ({ event: headers["x-service-ci-event"], id: JSON.parse(body.toString()).id }))
        .filter(({ event, id }) => String(event).startsWith("build.") && id === build.id)
        .map(({ event }) => event);
    await eventually(() => expect(events()).toEqual(["build.submitted", "build.started", "build.finished"]));
  }

  it("keeps all data, and runs builds at every step of a rollout", async () => {
    await ci.api.post("/namespaces", { name: "team" });
    await ci.api.post("/n/admin/team/-/webhooks", { payload_url: hook.url, secret: "kept", events: [] });
    await ci.api.post("/variables", { namespace: "team", key: "GREETING", value: "kept secret", mask: true });
    await ci.api.post("/cron", { name: "daily", schedule: "monthly", manifest });
    await ci.api.post("/objects?name=thing&namespace=team", "content");
    await expectPassedBuild();
    const before = await read(routes);
    const found = await read(searches);
    ci.moveTo(thisTree);
    // Older services prove no identity, so they and the new ones refuse each other's calls.
    if (!existsSync(join(root, "libs/kit/src/rpc/identity.ts"))) {
      for (const name of rolloutOrder) await ci.stop(name);
      for (const name of rolloutOrder) await ci.start(name);
    }
    for (const name of rolloutOrder) {
      await ci.stop(name);
      await ci.start(name);
      // Responses may have new fields but must not lack any.
      if (name === "gateway") expect(await read(routes)).toMatchObject(before);
      await expectPassedBuild();
    }
    expect(await read(searches)).toMatchObject(found);
    const { json: builds } = await ci.api.get("/builds");
    for (const query of ["search=night", "tag=nightly"])
      expect((await ci.api.get(`/builds?${query}`)).json).toEqual(builds);
  });
});
