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
/** The order of a rollout: a service before those that call it. */
const inOrder: readonly ServiceName[] = ["namespaces", "images", "builds", "webhooks", "runner", "gateway"];
const manifest = `namespace: team
driver: {type: os}
stages: [test]
jobs: [{stage: test, name: unit, commands: [echo "$GREETING" > out.txt, cat out.txt], artifacts: [out.txt]}]
`;
/** Records that further builds do not change. */
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

describe("an upgrade from the commit before", () => {
  if (!commit) return notRun("an upgrade from the commit before", "its history is not at hand");
  let root: string;
  let on: Processes;
  let hook: Receiver;
  beforeAll(async () => {
    root = builtTree(commit);
    hook = await receiver();
    on = await startProcesses(names, {}, root);
  }, 300_000);
  afterAll(async () => {
    await on?.[Symbol.asyncDispose]();
    await hook?.[Symbol.asyncDispose]();
    if (root) rmSync(root, { recursive: true, force: true });
  });

  const read = async (paths: readonly string[]) =>
    Object.fromEntries(await Promise.all(paths.map(async (path) => [path, (await on.api.get(path)).json])));

  /** Submits a build; waits for its end and for the webhook's events. */
  async function passes(): Promise<void> {
    // With one replica of each service, its restart causes 503 for a moment.
    const build = await eventually(async () => {
      const { status, json } = await on.api.post("/builds", { manifest, tags: ["nightly"] });
      expect([status, json]).toEqual([201, json]);
      return json;
    });
    await eventually(async () => expect((await on.api.get(build.url)).json.status).toBe("passed"));
    const events = () =>
      hook.requests
        .map(({ headers, body }) => ({ event: headers["x-service-ci-event"], id: JSON.parse(body.toString()).id }))
        .filter(({ event, id }) => String(event).startsWith("build.") && id === build.id)
        .map(({ event }) => event);
    await eventually(() => expect(events()).toEqual(["build.submitted", "build.started", "build.finished"]));
  }

  it("keeps all data, and runs builds at every step of a rollout", async () => {
    await on.api.post("/namespaces", { name: "team" });
    await on.api.post("/n/admin/team/-/webhooks", { payload_url: hook.url, secret: "kept", events: [] });
    await on.api.post("/variables", { namespace: "team", key: "GREETING", value: "kept secret", mask: true });
    await on.api.post("/cron", { name: "daily", manifest });
    await on.api.post("/objects?name=thing&namespace=team", "content");
    await passes();
    const before = await read(routes);
    const found = await read(searches);
    on.moveTo(thisTree);
    // Older services prove no identity: they and the new ones do not talk to each other.
    if (!existsSync(join(root, "libs/kit/src/rpc/identity.ts"))) {
      for (const name of inOrder) await on.stop(name);
      for (const name of inOrder) await on.start(name);
    }
    for (const name of inOrder) {
      await on.stop(name);
      await on.start(name);
      // Answers may have new fields, but none may be missing.
      if (name === "gateway") expect(await read(routes)).toMatchObject(before);
      await passes();
    }
    expect(await read(searches)).toMatchObject(found);
    const { json: builds } = await on.api.get("/builds");
    for (const query of ["search=night", "tag=nightly"])
      expect((await on.api.get(`/builds?${query}`)).json).toEqual(builds);
  }, 400_000);
});
