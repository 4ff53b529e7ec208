import { randomUUID } from "node:crypto";
import type { BuildRef } from "@ci/proto/builds/v1/builds";
import { eventually } from "@ci/testkit/eventually";
import { fromGithub, github, gitlab, zeros } from "../_hook-payloads.js";
import { fault } from "../_suite.js";
import { bootHooks, deliveries, manifest, providerNames, secret } from "./_hooks.js";

const { suite, hooked, build, server } = bootHooks();
const files = { ".service-ci.yml": manifest, ".service-ci/b.yml": manifest, ".service-ci/a.yml": manifest };
const nextNumber = async () => {
  const { number } = await suite.submit(suite.users.ann);
  return number;
};

describe("succeeds", () => {
  it.each(providerNames)("a push of %s makes one build per manifest", async (provider) => {
    const { git, push, namespace, record } = await hooked(provider);
    const sha = await git.commit(files);
    const refs = await push({ sha, ref: "refs/heads/main", message: "Fix it" });
    expect(refs).toHaveLength(3);
    const first = await build(refs[0]!);
    expect(first).toMatchObject({
      userId: suite.users.ann.id,
      namespaceId: namespace.id,
      status: "queued",
      manifest,
      tags: [{ name: "main", userId: suite.users.ann.id }],
      trigger: {
        type: "push",
        comment: "Fix it",
        data: {
          provider,
          repo_id: { github: "35129377", gitlab: "15", gitea: "140" }[provider],
          url: record.url,
          ref: "refs/heads/main",
          sha,
          email: "grace@example.com",
          username: "grace",
        },
      },
    });
    const { jobs } = await suite.as(suite.users.ann, () => suite.builds.listJobs({ ref: refs[0], search: "" }));
    expect(jobs.map(({ name }) => name)).toEqual(["create-driver", "clone.1", "make.1"]);
  });

  it.each(providerNames)("a pull request of %s makes a build with its title and number", async (provider) => {
    const { git, pull } = await hooked(provider);
    const sha = await git.commit({ ".service-ci.yml": manifest }, "refs/heads/feature");
    const action = provider === "gitlab" ? "open" : "opened";
    const [ref] = await pull({ sha, ref: "feature", action });
    expect(await build(ref!)).toMatchObject({
      tags: [{ name: "feature" }],
      trigger: { type: "pull", comment: "Add a feature", data: { provider, id: "7", action, sha, ref: "feature" } },
    });
  });

  it("a runner clones the pushed commit first", async () => {
    const { git, push, record } = await hooked();
    const sha = await git.commit({ ".service-ci.yml": manifest });
    const [ref] = await push({ sha });
    const { id } = await build(ref!);
    const claimed = await eventually(async () => {
      const assignment = await suite.claim();
      expect(assignment?.buildId).toBe(id);
      return assignment!;
    });
    const directory = /([^/]+)\.git$/.exec(record.url)![1];
    expect(claimed.jobs[1]!.source).toEqual({ url: record.url, ref: sha, directory, branch: "main" });
    const facts = Object.fromEntries(claimed.facts.map(({ key, value }) => [key, value]));
    expect(facts).toMatchObject({
      ...{ CI_EVENT: "push", CI_REPOSITORY: record.url.replace(/^.*?\/\/[^/]*\/|\.git$/g, ""), CI_COMMIT: sha },
      ...{
        CI_BRANCH: "main",
        CI_COMMIT_MESSAGE: expect.any(String),
        CI_COMMIT_AUTHOR_EMAIL: expect.stringMatching("@"),
      },
      ...{ CI_USER: "ann", CI_NAMESPACE: expect.stringMatching(/^ns/), CI_ATTEMPT: "1" },
    });
  });

  it("a repository that the manifest lists without a ref is cloned at the pushed commit, also in a restart", async () => {
    const { git, push, record } = await hooked();
    const listed = `${manifest}sources: [{url: ${record.url}, dir: src, depth: 1}]\n`;
    const sha = await git.commit({ ".service-ci.yml": listed });
    const [ref] = await push({ sha });
    const cloneOf = async (ref: BuildRef) => {
      const { jobs } = await suite.as(suite.users.ann, () => suite.builds.listJobs({ ref, search: "clone" }));
      return jobs.map(({ commands }) => commands);
    };
    const pushed = [
      "mkdir -p -- 'src'",
      `git clone -q --depth 1 -- '${record.url}' 'src'`,
      "cd -- 'src'",
      expect.stringContaining(`git fetch -q --depth 1 origin '${sha}'`),
      expect.stringContaining(`git checkout -q -B 'main' '${sha}' --`),
    ];
    expect(await cloneOf(ref!)).toEqual([pushed]);
    await suite.as(suite.users.ann, () => suite.builds.killBuild({ ref }));
    const restart = { ref, restartOf: "http://old" };
    const { build: again } = await suite.as(suite.users.ann, () => suite.builds.restartBuild(restart));
    const { userId, number } = again!;
    expect(await cloneOf({ userId, number })).toEqual([pushed]);
    await suite.as(suite.users.ann, () => suite.builds.killBuild({ ref: { userId, number } }));
  });

  it("a tag's build has its commit, and the commit's message", async () => {
    const { git, send } = await hooked("gitlab");
    const sha = await git.commit({ ".service-ci.yml": manifest }, "refs/heads/main", "Released");
    await git.git("tag", "-a", "-m", "one", "v1.0.0", sha);
    const tag = await git.git("rev-parse", "v1.0.0");
    const payload = { ...gitlab.tagPush({ sha: tag }), message: "one" };
    const headers = {
      "x-gitlab-event": "Tag Push Hook",
      "x-gitlab-event-uuid": randomUUID(),
      "x-gitlab-token": secret,
    };
    const [ref] = await send({ headers, body: Buffer.from(JSON.stringify(payload)) });
    expect(await build(ref!)).toMatchObject({
      tags: [{ name: "v1.0.0" }],
      trigger: { comment: "Released", data: { sha, ref: "refs/tags/v1.0.0" } },
    });
  });

  it("a ping and the deletion of a branch make no builds and no git requests", async () => {
    const { push, send } = await hooked();
    const requestCount = server().gitRequests.length;
    expect(await send(fromGithub("ping", { zen: "x" }, secret, randomUUID()))).toEqual([]);
    expect(await send(fromGithub("push", github.branchDeleted(), secret, randomUUID()))).toEqual([]);
    expect(await push({ sha: zeros })).toEqual([]);
    expect(server().gitRequests).toHaveLength(requestCount);
  });

  it("missing and invalid manifests make no builds; valid ones beside them do", async () => {
    const { git, push } = await hooked();
    expect(await push({ sha: await git.commit({ "README.md": "x" }) })).toEqual([]);
    const broken = "driver: {type: submarine}";
    expect(await push({ sha: await git.commit({ ".service-ci.yml": broken }) })).toEqual([]);
    const sha = await git.commit({ ".service-ci.yml": broken, ".service-ci/good.yml": manifest });
    expect(await push({ sha })).toHaveLength(1);
  });

  it("a commit with too many manifests makes no builds", async () => {
    const { git, push } = await hooked();
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`.service-ci/${n}.yml`, manifest]));
    expect(await push({ sha: await git.commit(many) })).toEqual([]);
  });

  it("a delivery sent three times at once and once more makes its builds once", async () => {
    const { git, push } = await hooked();
    const sha = await git.commit(files);
    const before = await nextNumber();
    const id = randomUUID();
    const all = await Promise.all([push({ sha }, id), push({ sha }, id), push({ sha }, id)]);
    expect(all.flat()).toHaveLength(3);
    expect(await push({ sha }, id)).toEqual([]);
    expect(await nextNumber()).toBe(before + 4);
    expect(await push({ sha, message: "Again" })).toHaveLength(3);
  });

  it.each(providerNames)(
    "a captured request of %s makes builds once, whatever delivery ids it is replayed with",
    async (provider) => {
      const { git, push, pull } = await hooked(provider);
      const sha = await git.commit(files);
      const before = await nextNumber();
      const all = await Promise.all([push({ sha }), push({ sha }), push({ sha })]);
      expect(all.flat()).toHaveLength(3);
      expect(await push({ sha })).toEqual([]);
      expect(await push({ sha }, "")).toEqual([]);
      expect(await nextNumber()).toBe(before + 4);
      expect(await pull({ sha, action: provider === "gitlab" ? "open" : "opened" })).toHaveLength(3);
    },
  );

  it("a ping makes no build and may be repeated", async () => {
    const { git, push, send } = await hooked();
    for (const _ of [1, 2]) expect(await send(fromGithub("ping", { zen: "x" }, secret, randomUUID()))).toEqual([]);
    expect(await push({ sha: await git.commit(files) })).toHaveLength(3);
  });
});

describe("a pull request from a fork", () => {
  it.each(providerNames)("of %s gets no variables, keys or objects of the user or the namespace", async (provider) => {
    const { git, pull, push, namespace } = await hooked(provider, undefined, suite.users.ann, { forks: "run" });
    for (const [name, namespaceName] of [
      ["OF_ANN", ""],
      ["OF_NAMESPACE", namespace.path],
    ] as const)
      await suite.as(suite.users.ann, () =>
        suite.accounts.variables.createVariable({
          key: name + provider,
          value: "secret!",
          mask: false,
          namespace: namespaceName,
        }),
      );
    const text = `${manifest}env: [OWN=1]\nobjects: [settings]\n`;
    const sha = await git.commit({ ".service-ci.yml": text }, "refs/pull/7/head");
    const action = provider === "gitlab" ? "open" : "opened";
    const keysOf = async (ref: { userId: number; number: number }) => {
      const found = await suite.as(suite.users.ann, () => suite.builds.listBuildVariables({ ref, search: "" }));
      return found.variables.map(({ key }) => key);
    };
    const [own] = await push({ sha });
    expect(await keysOf(own!)).toEqual(expect.arrayContaining(["OWN", `OF_ANN${provider}`, `OF_NAMESPACE${provider}`]));
    const [ref] = await pull({ sha, action, fork: true });
    expect(await keysOf(ref!)).toEqual(["OWN"]);
    const { id } = await build(ref!);
    await suite.as(suite.users.ann, () => suite.builds.killBuild({ ref: own }));
    const claimed = await eventually(async () => {
      const assignment = await suite.claim();
      expect(assignment?.buildId).toBe(id);
      return assignment!;
    });
    expect(claimed).toMatchObject({
      namespaceId: undefined,
      namespaceOnly: true,
      keys: [],
      variables: [{ key: "OWN" }],
    });
  });

  it("gets none after a member restarts it, and keeps its namespace and commit", async () => {
    const { git, pull, namespace, record } = await hooked("github", undefined, suite.users.ann, { forks: "run" });
    const sha = await git.commit({ ".service-ci.yml": manifest });
    const [ref] = await pull({ sha, fork: true });
    await suite.as(suite.users.ann, () => suite.builds.killBuild({ ref: ref }));
    const { build: again } = await suite.as(suite.users.ann, () =>
      suite.builds.restartBuild({ ref: ref, restartOf: "x" }),
    );
    expect(again).toMatchObject({ namespaceId: namespace.id, trigger: { type: "manual" } });
    const { variables } = await suite.as(suite.users.ann, () =>
      suite.builds.listBuildVariables({ ref: { userId: again!.userId, number: again!.number }, search: "" }),
    );
    expect(variables).toEqual([]);
    const claimed = await eventually(async () => {
      const assignment = await suite.claim();
      expect(assignment?.buildId).toBe(again!.id);
      return assignment!;
    });
    expect(claimed.jobs[1]!.source).toMatchObject({ url: record.url, ref: sha });
  });
});

describe("not_found", () => {
  it("a wrong signature, another provider and an unknown id get not_found", async () => {
    const { git, record } = await hooked();
    const { headers, body } = deliveries.push.github({ sha: await git.commit(files) }, randomUUID());
    const request = { provider: "github", id: record.id, headers, body };
    for (const wrong of [
      { body: Buffer.concat([body, Buffer.from(" ")]) },
      { headers: {} },
      { headers: { ...headers, "x-hub-signature-256": `sha256=${"0".repeat(64)}` } },
      { provider: "gitea" },
      { provider: "nobody" },
      { id: record.id + 1_000 },
    ])
      expect(await fault(suite.repositories.receiveHook({ ...request, ...wrong }))).toMatchObject({
        code: "not_found",
      });
    expect((await suite.repositories.receiveHook(request)).builds).toHaveLength(3);
  });

  it("deliveries get not_found once the repository or its namespace is deleted", async () => {
    const { record, namespace, push } = await hooked();
    const request = { namespaceId: namespace.id, id: record.id };
    await suite.as(suite.users.ann, () => suite.repositories.deleteRepository(request));
    expect(await fault(push({}))).toMatchObject({ code: "not_found" });
    const other = await hooked();
    await suite.as(suite.users.ann, () => suite.accounts.namespaces.deleteNamespace({ id: other.namespace.id }));
    await eventually(async () => expect(await fault(other.push({ sha: zeros }))).toMatchObject({ code: "not_found" }));
  });
});
