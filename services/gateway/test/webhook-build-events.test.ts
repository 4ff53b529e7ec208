import { createHmac, randomUUID } from "node:crypto";
import { aBuild, aManifest, aWord } from "@ci/testkit/builders";
import { made } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { type GitServer, gitServer } from "@ci/testkit/git-server";
import { listening, type Shown } from "./_webhook-events.js";

// Runs every operation, with and without events, beside a webhook for all events: exactly the expected ones arrive.

const dayMs = 24 * 60 * 60 * 1_000;
// Starts at noon, so that midnight comes only when a test turns the clock.
let aheadMs = dayMs - ((Date.now() + dayMs / 2) % dayMs);
const now = () => new Date(Date.now() + aheadMs);
const settings = { DRIVERS: "os,docker", ARTIFACT_STORAGE: "1KiB", CURATION_EVERY: "500ms" };
const on = listening({ runner: true, now, settings });
const { ci, space, got, nextEvents, expectNoEvents } = on;
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
let git: GitServer;
beforeAll(async () => {
  git = await gitServer();
});
afterAll(() => git?.[Symbol.asyncDispose]());

const ended = (url: string) =>
  eventually(async () => {
    const build = await got(url);
    expect(build.finished_at).not.toBeNull();
    return build;
  });

const buildFields = [
  ...["id", "user_id", "namespace_id", "number", "status", "output", "tags", "pinned", "created_at", "started_at"],
  ...["finished_at", "url", "objects_url", "variables_url", "keys_url", "jobs_url", "artifacts_url", "tags_url"],
  ...["output_url", "user", "namespace", "trigger", "queue", "manifest"],
].sort();

/** The events of a finished build, each with the record of its time. */
async function toldOfRun(submitted: Shown): Promise<Shown> {
  const [first, started, finished] = await nextEvents("build.submitted", "build.started", "build.finished");
  expect(Object.keys(first).sort()).toEqual(buildFields);
  expect(first).toEqual({ ...submitted, namespace: on.copy, queue: expect.anything() });
  expect(started).toEqual({ ...submitted, namespace: on.copy, status: "running", started_at: time, queue: null });
  const build = await ended(submitted.url);
  expect(finished).toEqual({ ...build, namespace: on.copy });
  expect(finished).toMatchObject({ status: "passed", started_at: time, finished_at: time });
  return build;
}

describe("builds", () => {
  let build: Shown;

  test("report submission, start and end", async () => {
    const jobs = [{ stage: "test", commands: ["head -c 2000 /dev/zero > out"], artifacts: ["out"] }];
    const submitted = made(
      await on.ann.post("/builds", { ...aBuild({ namespace: space, jobs }), comment: "Hi", tags: ["v1"] }),
    );
    build = await toldOfRun(submitted);
  });

  test("curation sends no event", async () => {
    await eventually(async () => {
      const [artifact] = await got(build.artifacts_url);
      expect(artifact).toMatchObject({ deleted_at: time });
    });
    await expectNoEvents();
  });

  test("report added tags, but only new ones, and no removed ones", async () => {
    made(await on.ann.post(build.tags_url, ["old one", "v1", "b", "a"]));
    const { manifest, ...shown } = await got(build.url);
    const [tagged] = await nextEvents("build.tagged");
    expect(tagged).toEqual({
      build: { ...shown, namespace: on.copy, output: null },
      tags: ["b", "a"].map((name) => ({ name, url: `${build.tags_url}/${name}` })),
      url: build.tags_url,
      user: on.copy.user,
    });
    expect((await on.ann.post(build.tags_url, ["a", "b"])).json).toEqual([]);
    expect((await on.ann.delete(`${build.tags_url}/a`)).status).toBe(204);
    await expectNoEvents();
  });

  test("report pinning and unpinning only if that changes something", async () => {
    for (const [action, kind] of [
      ["pin", "build.pinned"],
      ["unpin", "build.unpinned"],
    ] as const) {
      const { json } = await on.ann.patch(`${build.url}/${action}`);
      expect(await nextEvents(kind)).toEqual([{ ...json, namespace: on.copy }]);
      expect((await on.ann.patch(`${build.url}/${action}`)).status).toBe(200);
      await expectNoEvents();
    }
  });

  test("report a killed build as finished, once", async () => {
    const driver = { type: "docker", image: "x", workspace: "/w" };
    const queued = made(await on.ann.post("/builds", aBuild({ namespace: space, driver })));
    const [submitted] = await nextEvents("build.submitted");
    expect(submitted).toEqual({ ...queued, namespace: on.copy, queue: expect.anything() });
    for (const _ of [1, 2]) expect((await on.ann.delete(queued.url)).status).toBe(204);
    const [finished] = await nextEvents("build.finished");
    expect(finished).toEqual({ ...(await got(queued.url)), namespace: on.copy });
    expect(finished).toMatchObject({ status: "killed", started_at: null });

    const jobs = [{ stage: "test", commands: ["sleep 600"] }];
    const running = made(await on.ann.post("/builds", aBuild({ namespace: space, jobs })));
    await nextEvents("build.submitted", "build.started");
    for (const _ of [1, 2]) expect((await on.ann.delete(running.url)).status).toBe(204);
    const [killed] = await nextEvents("build.finished");
    expect(killed).toEqual({ ...(await got(running.url)), namespace: on.copy });
    await expectNoEvents();
  });

  test("report a restarted build", async () => {
    const again = made(await on.ann.post(`${build.url}/restart`));
    expect((await toldOfRun(again)).trigger.data).toEqual({ ...build.trigger.data, restart_of: build.url });
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
    const { hook_url } = made(
      await on.ann.post(`${on.path}/-/repositories`, { provider: "github", url: repository.url, secret }),
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
    expect(submitted).toEqual({ ...(await got(json.builds[0])), namespace: on.copy, queue: expect.anything() });
    expect(submitted.trigger.type).toBe("push");
    await on.ann.delete(json.builds[0]);
    await nextEvents("build.finished");
  });
});

test("a run of a cron job sends only the events of its build", async () => {
  const driver = { type: "docker", image: "x", workspace: "/w" };
  const manifest = aManifest({ namespace: space, driver });
  const cron = made(await on.ann.post("/cron", { name: "nightly", manifest }));
  await nextEvents("cron");
  aheadMs += dayMs;
  const [submitted] = await nextEvents("build.submitted");
  expect(submitted).toMatchObject({ status: "queued", tags: ["cron:nightly"], trigger: { type: "schedule" } });
  expect(submitted).toEqual({ ...(await got(submitted.url)), namespace: on.copy, queue: expect.anything() });
  expect((await on.ann.delete(cron.url)).status).toBe(204);
  await nextEvents("cron");
});

test("nothing was sent twice, and nothing else was sent", async () => {
  await expectNoEvents();
  expect(on.received("/all")).toHaveLength(on.checked());
});
