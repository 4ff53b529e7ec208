import { createHmac, randomUUID } from "node:crypto";
import { aBuild, aManifest, aWord } from "@ci/testkit/builders";
import { created } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { type GitServer, gitServer } from "@ci/testkit/git-server";
import { type ApiRecord, watchNamespace } from "./_webhook-events.js";

// Runs operations with and without events. Exactly the expected events arrive at a webhook for all events.

const dayMs = 24 * 60 * 60 * 1_000;
// The clock starts at noon, so that midnight comes only when a test moves it.
let aheadMs = dayMs - ((Date.now() + dayMs / 2) % dayMs);
const now = () => new Date(Date.now() + aheadMs);
const settings = { DRIVERS: "os,docker", ARTIFACT_STORAGE: "1KiB", CURATION_EVERY: "500ms" };
const watched = watchNamespace({ runner: true, now, settings });
const { ci, space, fetchRecord, nextEvents, expectNoEvents } = watched;
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
let git: GitServer;
beforeAll(async () => {
  git = await gitServer();
});
afterAll(() => git?.[Symbol.asyncDispose]());

const untilEnded = (url: string) =>
  eventually(async () => {
    const build = await fetchRecord(url);
    expect(build.finished_at).not.toBeNull();
    return build;
  });

const buildFields = [
  ...["id", "user_id", "namespace_id", "number", "status", "output", "tags", "pinned", "created_at", "started_at"],
  ...[
    "finished_at",
    "reason",
    "url",
    "objects_url",
    "variables_url",
    "keys_url",
    "jobs_url",
    "artifacts_url",
    "tags_url",
  ],
  ...["output_url", "content_url", "user", "namespace", "trigger", "queue", "group", "tests", "manifest"],
].sort();

/** Expects the three events of a build that passes, each with the record of its time. Returns the build. */
async function expectEventsOfRun(submitted: ApiRecord): Promise<ApiRecord> {
  const [first, started, finished] = await nextEvents("build.submitted", "build.started", "build.finished");
  expect(Object.keys(first).sort()).toEqual(buildFields);
  expect(first).toEqual({ ...submitted, namespace: watched.copy, queue: expect.anything() });
  expect(started).toEqual({ ...submitted, namespace: watched.copy, status: "running", started_at: time, queue: null });
  const build = await untilEnded(submitted.url);
  expect(finished).toEqual({ ...build, namespace: watched.copy });
  expect(finished).toMatchObject({ status: "passed", started_at: time, finished_at: time });
  return build;
}

describe("builds", () => {
  let build: ApiRecord;

  test("report submission, start and end", async () => {
    const jobs = [{ stage: "test", commands: ["head -c 2000 /dev/zero > out"], artifacts: ["out"] }];
    const submitted = created(
      await watched.ann.post("/builds", { ...aBuild({ namespace: space, jobs }), comment: "Hi", tags: ["v1"] }),
    );
    build = await expectEventsOfRun(submitted);
  });

  test("report no curation", async () => {
    await eventually(async () => {
      const [artifact] = await fetchRecord(build.artifacts_url);
      expect(artifact).toMatchObject({ deleted_at: time });
    });
    await expectNoEvents();
  });

  test("report new tags, but neither existing nor removed ones", async () => {
    created(await watched.ann.post(build.tags_url, ["old one", "v1", "b", "a"]));
    const { manifest, tests, ...record } = await fetchRecord(build.url);
    const [tagged] = await nextEvents("build.tagged");
    expect(tagged).toEqual({
      build: { ...record, namespace: watched.copy, output: null },
      tags: ["b", "a"].map((name) => ({ name, url: `${build.tags_url}/${name}` })),
      url: build.tags_url,
      user: watched.copy.user,
    });
    expect((await watched.ann.post(build.tags_url, ["a", "b"])).json).toEqual([]);
    expect((await watched.ann.delete(`${build.tags_url}/a`)).status).toBe(204);
    await expectNoEvents();
  });

  test("report pinning and unpinning only if the build changes", async () => {
    for (const [action, kind] of [
      ["pin", "build.pinned"],
      ["unpin", "build.unpinned"],
    ] as const) {
      const { json } = await watched.ann.patch(`${build.url}/${action}`);
      expect(await nextEvents(kind)).toEqual([{ ...json, namespace: watched.copy }]);
      expect((await watched.ann.patch(`${build.url}/${action}`)).status).toBe(200);
      await expectNoEvents();
    }
  });

  test("report a killed build as finished, once", async () => {
    const driver = { type: "docker", image: "x", workspace: "/w" };
    const queued = created(await watched.ann.post("/builds", aBuild({ namespace: space, driver })));
    const [submitted] = await nextEvents("build.submitted");
    expect(submitted).toEqual({ ...queued, namespace: watched.copy, queue: expect.anything() });
    for (const _ of [1, 2]) expect((await watched.ann.delete(queued.url)).status).toBe(204);
    const [finished] = await nextEvents("build.finished");
    expect(finished).toEqual({ ...(await fetchRecord(queued.url)), namespace: watched.copy });
    expect(finished).toMatchObject({ status: "killed", started_at: null });

    const jobs = [{ stage: "test", commands: ["sleep 600"] }];
    const running = created(await watched.ann.post("/builds", aBuild({ namespace: space, jobs })));
    await nextEvents("build.submitted", "build.started");
    for (const _ of [1, 2]) expect((await watched.ann.delete(running.url)).status).toBe(204);
    const [killed] = await nextEvents("build.finished");
    expect(killed).toEqual({ ...(await fetchRecord(running.url)), namespace: watched.copy });
    await expectNoEvents();
  });

  test("report a restarted build", async () => {
    const restarted = created(await watched.ann.post(`${build.url}/restart`));
    expect((await expectEventsOfRun(restarted)).trigger.data).toEqual({ ...build.trigger.data, restart_of: build.url });
  });

  test("report a build of a push", async () => {
    const repository = await git.repository(`octo/${aWord()}.git`);
    const { jobs } = JSON.parse(aManifest());
    const manifest = JSON.stringify({
      driver: { type: "docker", image: "x", workspace: "/w" },
      stages: ["test"],
      jobs,
    });
    const sha = await repository.commit({ ".service-ci.yml": manifest });
    const secret = "hush";
    const { hook_url } = created(
      await watched.ann.post(`${watched.path}/-/repositories`, { provider: "github", url: repository.url, secret }),
    );
    const body = JSON.stringify({
      ref: "refs/heads/main",
      after: sha,
      head_commit: { id: sha },
      repository: { id: 1 },
    });
    const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
    const { json } = await ci.as().send("POST", hook_url, {
      body,
      headers: {
        "Content-Type": "application/json",
        "X-GitHub-Event": "push",
        "X-GitHub-Delivery": randomUUID(),
        "X-Hub-Signature-256": signature,
      },
    });
    const [submitted] = await nextEvents("build.submitted");
    expect(submitted).toEqual({
      ...(await fetchRecord(json.builds[0])),
      namespace: watched.copy,
      queue: expect.anything(),
    });
    expect(submitted.trigger.type).toBe("push");
    await watched.ann.delete(json.builds[0]);
    await nextEvents("build.finished");
  });
});

test("a run of a cron job sends only the events of its build", async () => {
  const driver = { type: "docker", image: "x", workspace: "/w" };
  const manifest = aManifest({ namespace: space, driver });
  const cron = created(await watched.ann.post("/cron", { name: "nightly", manifest }));
  await nextEvents("cron");
  aheadMs += dayMs;
  const [submitted] = await nextEvents("build.submitted");
  expect(submitted).toMatchObject({ status: "queued", tags: ["cron:nightly"], trigger: { type: "schedule" } });
  expect(submitted).toEqual({
    ...(await fetchRecord(submitted.url)),
    namespace: watched.copy,
    queue: expect.anything(),
  });
  expect((await watched.ann.delete(cron.url)).status).toBe(204);
  await nextEvents("cron");
});

test("the webhook received no event twice and no unexpected one", async () => {
  await expectNoEvents();
  expect(watched.received("/all")).toHaveLength(watched.checked());
});
