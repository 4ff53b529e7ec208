import { type DeliveryOptions, zeros } from "../_hook-payloads.js";
import { bootHooks, type Hooked, manifest, type ProviderName } from "./_hooks.js";

const { suite, hooked, deliveriesOf } = bootHooks();
const jobsOf = async (ref: { userId: number; number: number }) => {
  const { jobs } = await suite.as(suite.users.ann, () => suite.builds.listJobs({ ref, search: "" }));
  return jobs.flatMap(({ name, stage }) => (stage.startsWith("setup") ? [] : [name]));
};
const conditional = `
driver: {type: os}
jobs:
- {name: always}
- {name: deploy, when: {event: push, branch: main}}
- {name: release, when: {tag: "v*"}}
- {name: docs, when: {path: "docs/**"}}
- {name: by-hand, when: {event: [manual, schedule]}}
`;

/** Sends a push of a commit with this manifest, and returns the jobs of its build. */
async function jobsFor(hook: Hooked, options: DeliveryOptions = {}) {
  const sha = await hook.git.commit({ ".service-ci.yml": conditional });
  const [ref] = await hook.push({ ...options, sha });
  return jobsOf(ref!);
}

describe("a job", () => {
  it("is made only if its when matches the push", async () => {
    const hook = await hooked();
    expect(await jobsFor(hook)).toEqual(["always", "deploy"]);
    expect(await jobsFor(hook, { ref: "refs/heads/dev", files: ["docs/a/b.md"] })).toEqual(["always", "docs"]);
    expect(await jobsFor(hook, { ref: "refs/tags/v1", files: [] })).toEqual(["always", "release", "docs"]);
  });

  it("of a manual build has the event manual and no branch, and a restart repeats the jobs of a push", async () => {
    const { number } = await suite.submit(suite.users.ann, conditional);
    expect(await jobsOf({ userId: suite.users.ann.id, number })).toEqual(["always", "docs", "by-hand"]);
    const { git, push } = await hooked();
    const [ref] = await push({ sha: await git.commit({ ".service-ci.yml": conditional }) });
    const again = await suite.as(suite.users.ann, async () => {
      await suite.builds.killBuild({ ref });
      return (await suite.builds.restartBuild({ ref, restartOf: "x" })).build!;
    });
    expect(await jobsOf(again)).toEqual(["always", "deploy"]);
  });
});

describe("a manifest", () => {
  const when = (text: string) => ({ ".service-ci.yml": `${manifest}when: ${text}\n` });

  it("whose when does not match makes no build, and the delivery says why; POST /builds ignores it", async () => {
    const hook = await hooked();
    const files = when("{branch: [release/*, '!release/old']}");
    expect(await hook.push({ sha: await hook.git.commit(files) })).toEqual([]);
    const sha = await hook.git.commit(files, "refs/heads/main", "again");
    expect(await hook.push({ sha, ref: "refs/heads/release/old" })).toEqual([]);
    expect(await hook.push({ sha, ref: "refs/heads/release/1" })).toHaveLength(1);
    const reasons = (await deliveriesOf(hook)).map((delivery) => [delivery.status, ...delivery.reasons]);
    const branch = "the manifest's when does not match: branch";
    expect(reasons).toEqual([["built"], ["skipped", branch], ["skipped", branch]]);
    const text = files[".service-ci.yml"]!.replace("namespace: elsewhere", "");
    expect(await suite.submit(suite.users.ann, text)).toMatchObject({ status: "queued" });
  });

  it("with several others is named by the reason", async () => {
    const hook = await hooked();
    const files = { ".service-ci/a.yml": manifest, ".service-ci/b.yml": `${manifest}when: {event: pull}\n` };
    expect(await hook.push({ sha: await hook.git.commit(files) })).toHaveLength(1);
    expect((await deliveriesOf(hook))[0]).toMatchObject({
      status: "built",
      reasons: [".service-ci/b.yml: the manifest's when does not match: event"],
    });
  });

  it("whose jobs are all left out makes no build", async () => {
    const hook = await hooked();
    const files = { ".service-ci.yml": "driver: {type: os}\njobs: [{when: {event: manual}}]" };
    expect(await hook.push({ sha: await hook.git.commit(files) })).toEqual([]);
    expect((await deliveriesOf(hook))[0]).toMatchObject({ reasons: ["the when of no job matches"] });
  });
});

describe("changed files that the provider does not name are found in the repository", () => {
  const files = { "a/b/c.ts": "1", "a/x.md": "1", "top.md": "1" };
  const forPath = (path: string, more = {}) => ({ ".service-ci.yml": `${manifest}when: {path: "${path}"}\n`, ...more });
  /** Pushes or requests a change of one file deep inside, with a manifest for these paths; reports whether it is built. */
  async function built(
    provider: ProviderName,
    path: string,
    send: (hook: Hooked, options: DeliveryOptions) => unknown,
  ) {
    const hook = await hooked(provider);
    const from = await hook.git.commit(forPath(path, files));
    const sha = await hook.git.commit(forPath(path, { ...files, "a/b/c.ts": "2", "a/new": "1" }));
    const made = (await send(hook, { sha, from })) as unknown[];
    return made.length === 1;
  }
  const push = (hook: Hooked, options: DeliveryOptions) => hook.push(options);
  const pull = (hook: Hooked, options: DeliveryOptions) => hook.pull(options);

  it.each([
    ["gitlab", "a/b/*.ts", push, true],
    ["gitlab", "a/new", push, true],
    ["gitlab", "**/*.md", push, false],
    // What Gitea names may be too little.
    ["gitea", "a/new", push, true],
    ["gitea", "**/*.md", push, false],
    ["gitea", "**/*.md", pull, false],
    ["github", "a/**", pull, true],
    // What GitHub names counts.
    ["github", "a/**", push, false],
    ["github", "*.md", push, true],
  ] as const)("%s: a manifest for %s", async (provider, path, send, expected) => {
    expect(await built(provider, path, send)).toBe(expected);
  });

  it("count as matching if the earlier commit is unknown", async () => {
    for (const from of [zeros, "1".repeat(40)]) {
      const { git, push: send } = await hooked("gitlab");
      expect(await send({ sha: await git.commit(forPath("docs/**")), from })).toHaveLength(1);
    }
  });
});

test.each(["[skip ci]", "[CI SKIP]"])("a commit whose message has %s makes no build", async (mark) => {
  const hook = await hooked();
  const sha = await hook.git.commit({ ".service-ci.yml": manifest }, "refs/heads/main", `Docs\n\n${mark}`);
  expect(await hook.push({ sha })).toEqual([]);
  expect(await deliveriesOf(hook)).toMatchObject([{ status: "skipped", reasons: [`skipped: ${mark}`], sha }]);
});
