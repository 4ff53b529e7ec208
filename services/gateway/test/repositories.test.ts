import { createHmac, randomUUID } from "node:crypto";
import { aManifest, aWord } from "@ci/testkit/builders";
import { constellation, created, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { type GitServer, gitServer } from "@ci/testkit/git-server";

const ci = constellation({ runner: true, settings: { HOOK_BODY_LIMIT: "64KiB" } });
let ann: SignedUp;
let eve: SignedUp;
let server: GitServer;
beforeAll(async () => {
  [ann, eve] = await Promise.all([ci.signUp(), ci.signUp()]);
  server = await gitServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const secret = "hush";

/** Creates a git repository, and its record in a namespace of ann's. */
async function aRepository(fields: object = {}) {
  const namespace = created(await ann.post("/namespaces", { name: aWord("ns") }));
  const git = await server.repository(`octo/${aWord()}.git`);
  const path = `/n/${ann.username}/${namespace.name}/-/repositories`;
  const fresh = { provider: "github", url: git.url, secret, ...fields };
  const { delivery, ...record } = created(await ann.post(path, fresh));
  expect(delivery).toBeNull();
  return { namespace, git, path, record };
}

/** Sends a push event as GitHub does. */
function push(hookUrl: string, sha: string, { sign = secret, padding = "", headers = {}, fields = {} } = {}) {
  const head_commit = { id: sha, message: "Fix it", author: { email: "grace@example.com", username: "grace" } };
  const body = JSON.stringify({
    ref: "refs/heads/main",
    after: sha,
    head_commit,
    repository: { id: 1 },
    padding,
    ...fields,
  });
  return ci.as().send("POST", hookUrl, {
    body,
    headers: {
      "Content-Type": "application/json",
      "X-GitHub-Event": "push",
      "X-GitHub-Delivery": randomUUID(),
      "X-Hub-Signature-256": `sha256=${createHmac("sha256", sign).update(body).digest("hex")}`,
      ...headers,
    },
  });
}

describe("succeeds", () => {
  test("returns every field of a new repository", async () => {
    const { namespace, git, path, record } = await aRepository({ access_token: "t0ken" });
    const { parent, build, ...copy } = namespace;
    expect(record).toEqual({
      id: expect.any(Number),
      namespace_id: namespace.id,
      user_id: ann.id,
      provider: "github",
      url: git.url,
      hook_url: `${ci.url}/hooks/github/${record.id}`,
      has_access_token: true,
      forks: "approve",
      cancel_superseded: false,
      hook: "registered",
      hook_reason: null,
      last_event_at: null,
      created_at: expect.stringMatching(/Z$/),
      user: copy.user,
      namespace: copy,
    });
    const { status, json } = await ann.get(path);
    expect([status, json]).toEqual([200, [record]]);
  });

  test("returns the URLs of a push's builds, runs them and reports their status to the provider", async () => {
    const { namespace, git, record } = await aRepository({ access_token: "t0ken" });
    const jobs = [{ stage: "test", commands: ["cat */greeting"] }];
    const files = { ".service-ci.yml": aManifest({ jobs, namespace: "other" }), greeting: "hello from the commit" };
    const sha = await git.commit(files);
    await git.commit({ other: "later" });
    const { status, json } = await push(record.hook_url, sha);
    expect([status, json]).toEqual([202, { builds: [`${ci.url}/b/${ann.username}/1`] }]);
    const finished = await eventually(async () => {
      const { json: build } = await ann.get(json.builds[0]);
      expect(build).toMatchObject({ status: "passed" });
      return build;
    });
    expect(finished).toMatchObject({ namespace_id: namespace.id, tags: ["main"] });
    expect(finished.output).toContain("hello from the commit");
    expect(finished.trigger).toMatchObject({ type: "push", comment: "Fix it", data: { sha, username: "grace" } });
    const states = () =>
      server.apiRequests.filter(({ path }) => path.endsWith(sha)).map(({ body }) => JSON.parse(body.toString()));
    await eventually(() =>
      expect(states().at(-1)).toMatchObject({ state: "success", target_url: finished.url, context: "service-ci" }),
    );
  });

  test("has one audit entry with the hook for each build of a push, however often it is sent", async () => {
    const { namespace, git, record } = await aRepository();
    const sha = await git.commit({ ".service-ci/a.yml": aManifest(), ".service-ci/b.yml": aManifest() });
    const headers = { "X-GitHub-Delivery": randomUUID() };
    const { json } = await push(record.hook_url, sha, { headers });
    expect(json.builds).toHaveLength(2);
    await push(record.hook_url, sha, { headers });
    const name = `${namespace.name}@${ann.username.toLowerCase()}`;
    const entries = await eventually(async () => {
      const entries = (await ci.admin.get(`/audit?namespace=${name}&action=submitBuild`)).json;
      expect(entries).toHaveLength(2);
      return entries;
    });
    const urls = entries.map(({ record_url }: { record_url: string }) => record_url);
    expect(urls.sort()).toEqual(json.builds.sort());
    for (const entry of entries)
      expect(entry).toMatchObject({
        ...{ actor: "hook", origin_url: record.hook_url, user_id: ann.id, username: ann.username, token_id: null },
        ...{ kind: "build", method: null, path: null, address: null, status: 201, outcome: "done" },
      });
  });

  test("builds the default branch of a new repository on request", async () => {
    const namespace = created(await ann.post("/namespaces", { name: aWord("ns") }));
    const git = await server.repository(`octo/${aWord()}.git`);
    const path = `/n/${ann.username}/${namespace.name}/-/repositories`;
    const fields = { provider: "github", url: git.url, secret, build: true };
    expect(created(await ann.post(path, fields))).toMatchObject({ delivery: null });
    await git.git("symbolic-ref", "HEAD", "refs/heads/main");
    const sha = await git.commit({ ".service-ci.yml": aManifest() });
    const { delivery, ...record } = created(await ann.post(path, fields));
    expect(delivery).toMatchObject({ event: "connected", sha, status: "built", reasons: [], repository_id: record.id });
    expect((await ann.get(delivery.url)).json).toEqual(delivery);
    expect((await ann.get(`${path}/${record.id}`)).json).toEqual(record);
    expect(await ann.post(`${path}/${record.id}/run`, { ref: "main" })).toMatchObject({
      status: 202,
      json: { event: "run", ref: "refs/heads/main", sha, status: "built", builds: [expect.any(String)] },
    });
    await eventually(async () => expect((await ann.get(delivery.builds[0])).json).toMatchObject({ status: "passed" }));
  });

  test("says what a push made and why another made nothing, and delivers it again", async () => {
    const { namespace, git, path, record } = await aRepository();
    const first = await git.commit({ a: "a" });
    await push(record.hook_url, first);
    const second = await git.commit({ ".service-ci.yml": aManifest() });
    const { json: hooked } = await push(record.hook_url, second);
    const { json: deliveries } = await ann.get(`${path}/${record.id}/deliveries`);
    const arrived = { last_event_at: deliveries[0].created_at };
    expect((await ann.get(path)).json).toMatchObject([arrived]);
    const url = `${namespace.url}/-/repositories/${record.id}/deliveries`;
    const common = { repository_id: record.id, event: "push", ref: "refs/heads/main", redelivery_of: null };
    const more = { delivery_id: expect.any(String), created_at: expect.stringMatching(/Z$/) };
    expect(deliveries).toEqual(
      [
        ...[{ ...common, ...more, status: "built", sha: second, reasons: [], builds: hooked.builds }],
        ...[{ ...common, ...more, status: "skipped", sha: first, reasons: ["no manifest at this commit"], builds: [] }],
      ].map((delivery, index) => ({ ...delivery, id: deliveries[index].id, url: `${url}/${deliveries[index].id}` })),
    );
    expect((await ann.get(deliveries[1].url)).json).toEqual(deliveries[1]);
    const again = await ann.post(`${deliveries[0].url}/redeliver`);
    expect(again).toMatchObject({ status: 202, json: { status: "built", redelivery_of: deliveries[0].id } });
    expect(again.json.builds).not.toEqual(hooked.builds);
    expect((await ann.get(`${path}/${record.id}`)).json).toMatchObject(arrived);
  });

  test("changes the settings of a repository", async () => {
    const { path, record } = await aRepository({ forks: "run", cancel_superseded: true });
    expect(record).toMatchObject({ forks: "run", cancel_superseded: true, has_access_token: false });
    const { status, json } = await ann.patch(`${path}/${record.id}`, { forks: "ignore", access_token: "t0ken" });
    const changed = { ...record, forks: "ignore", has_access_token: true, hook: "registered", hook_reason: null };
    expect([record.hook, record.hook_reason, status, json]).toEqual(["by_hand", "no access token", 200, changed]);
    expect((await ann.get(`${path}/${record.id}`)).json).toEqual(json);
  });

  test("runs a build of a fork once a member approves it", async () => {
    const { git, record } = await aRepository();
    const sha = await git.commit({ ".service-ci.yml": aManifest() });
    const pull_request = { number: 7, title: "x", head: { ref: "x", sha, repo: null }, base: { ref: "main" } };
    const { json } = await push(record.hook_url, sha, {
      fields: { action: "opened", pull_request },
      headers: { "X-GitHub-Event": "pull_request" },
    });
    const [url] = json.builds;
    const waiting = (await ann.get(url)).json;
    expect(waiting).toMatchObject({ status: "queued", queue: { reason: "waits for approval" } });
    expect((await eve.patch(`${url}/approve`)).status).toBe(404);
    expect((await ann.patch(`${url}/approve`)).json).toMatchObject({ id: waiting.id });
    await eventually(async () => expect((await ann.get(url)).json).toMatchObject({ status: "passed" }));
  });

  test("deletes a repository and its hook", async () => {
    const { git, path, record } = await aRepository();
    const sha = await git.commit({ a: "a" });
    expect(await push(record.hook_url, sha)).toMatchObject({ status: 202, json: { builds: [] } });
    expect(await ann.delete(`${path}/${record.id}`)).toMatchObject({ status: 204, text: "" });
    expect((await ann.get(path)).json).toEqual([]);
    expect((await push(record.hook_url, sha)).status).toBe(404);
  });
});

describe("rejects", () => {
  test("a body, with a complaint about each mistake", async () => {
    const { path } = await aRepository();
    const wrong = { provider: "svn", url: "ftp://x/y", access_token: 7 };
    expect(await ann.post(path, { ...wrong, access_token: null })).toMatchObject({
      status: 400,
      json: {
        provider: ["Provider invalid provider svn; it must be github, gitlab or gitea"],
        url: ["Url invalid url scheme; it must be http or https"],
        secret: ["Secret field required"],
      },
    });
  });

  test("a user who is not a member, before complaints about the body", async () => {
    const { path, record } = await aRepository();
    for (const request of [eve.get(path), eve.post(path, { url: 7 }), eve.delete(`${path}/${record.id}`)])
      expect(await request).toMatchObject({ status: 404, json: { message: "Not Found" } });
  });

  test("a hook request that is unsigned, of another provider or to an unknown hook", async () => {
    const { git, record } = await aRepository();
    const sha = await git.commit({ ".service-ci.yml": aManifest() });
    const otherProvider = record.hook_url.replace("github", "gitlab");
    for (const request of [
      push(record.hook_url, sha, { sign: "other" }),
      push(record.hook_url, sha, { headers: { "X-Hub-Signature-256": "" } }),
      push(otherProvider, sha),
      push(`${ci.url}/hooks/github/999999999`, sha),
      push(`${ci.url}/hooks/github/x`, sha),
    ])
      expect(await request).toMatchObject({ status: 404, json: { message: "Not Found" } });
  });

  test("a hook request that is too large or has another method", async () => {
    const { record } = await aRepository();
    expect((await push(record.hook_url, "a", { padding: "x".repeat(64 * 1024) })).status).toBe(413);
    expect((await push(record.hook_url, "a", { padding: "x".repeat(32 * 1024) })).status).toBe(202);
    expect(await ci.as().get(record.hook_url)).toMatchObject({ status: 405, headers: { allow: "POST" } });
  });
});
