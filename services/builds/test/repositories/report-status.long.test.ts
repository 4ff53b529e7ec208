import type { FinishJobRequest_Outcome } from "@ci/proto/builds/v1/queue";
import { eventually } from "@ci/testkit/eventually";
import type { Answer } from "@ci/testkit/receiver";
import { bootHooks, manifest, providerNames } from "./_hooks.js";

let answer: () => Answer = () => ({ status: 201 });
let intercept: (path: string) => Answer | undefined = () => undefined;
const { suite, hooked, server, build, deliveriesOf } = bootHooks(
  { hookPausesMs: [20, 20] },
  { answer: () => answer(), before: ({ url }) => intercept(url!) },
);
beforeEach(() => {
  answer = () => ({ status: 201 });
  intercept = () => undefined;
});

/** Returns the status requests about a commit. */
const statusRequests = (sha: string) =>
  server()
    .apiRequests.filter(({ path }) => path.includes(sha))
    .map(({ body, ...request }) => ({ ...request, json: JSON.parse(body.toString()) }));
const states = (sha: string) => statusRequests(sha).map(({ json }) => json.state);
const statesAre = (sha: string, expected: string[]) => eventually(() => expect(states(sha)).toEqual(expected));

/** Runs a build to this outcome. */
async function finish(id: number, outcome: FinishJobRequest_Outcome) {
  const claimed = await eventually(async () => {
    const assignment = await suite.claim();
    expect(assignment?.buildId).toBe(id);
    return assignment!;
  });
  for (const [index] of claimed.jobs.entries())
    await suite.finish(claimed, index, index === claimed.jobs.length - 1 ? outcome : "passed");
}

const token = "t0ken";
const urlOf = (number: number) => `http://ci.test/api/b/ann/${number}`;

describe("succeeds", () => {
  it.each(providerNames)("%s learns that a build is pending and that it has passed", async (provider) => {
    const { git, push, record } = await hooked(provider, token);
    const sha = await git.commit({ ".service-ci.yml": manifest });
    const [ref] = await push({ sha });
    await statesAre(sha, ["pending"]);
    await finish((await build(ref!)).id, "passed");
    await statesAre(sha, ["pending", "success"]);
    const repository = new URL(record.url).pathname.slice(1).replace(/\.git$/, "");
    for (const { method, path, headers, json } of statusRequests(sha)) {
      expect([method, path]).toEqual([
        "POST",
        {
          github: `/api/v3/repos/${repository}/statuses/${sha}`,
          gitlab: `/api/v4/projects/${encodeURIComponent(repository)}/statuses/${sha}`,
          gitea: `/api/v1/repos/${repository}/statuses/${sha}`,
        }[provider],
      ]);
      expect(headers).toMatchObject(
        {
          github: { authorization: `Bearer ${token}` },
          gitlab: { "private-token": token },
          gitea: { authorization: `token ${token}` },
        }[provider],
      );
      expect([json.context ?? json.name, json.target_url]).toEqual(["service-ci", urlOf(ref!.number)]);
    }
  });

  it("a matrix has one status for all of its builds", async () => {
    const { git, push } = await hooked("gitea", token);
    const sha = await git.commit({ ".service-ci.yml": `matrix: {N: [1, 2]}${manifest}` });
    const refs = await push({ sha });
    expect(refs).toHaveLength(2);
    await statesAre(sha, ["pending"]);
    const [first, second] = [await build(refs[0]!), await build(refs[1]!)];
    await finish(first.id, "passed");
    await finish(second.id, "failed");
    await statesAre(sha, ["pending", "failure"]);
  });

  it.each([
    ["failed", "failure"],
    ["timed_out", "error"],
  ] as const)("a build that has %s is reported as %s", async (outcome, state) => {
    const { git, push } = await hooked("github", token);
    const sha = await git.commit({ ".service-ci.yml": manifest });
    const [ref] = await push({ sha });
    await statesAre(sha, ["pending"]);
    await finish((await build(ref!)).id, outcome);
    await statesAre(sha, ["pending", state]);
  });

  it("builds of several deliveries that end at the same moment are each reported", async () => {
    const several = await Promise.all(["a", "b", "c", "d", "e", "f"].map(() => hooked("gitea", token)));
    const pushed = await Promise.all(
      several.map(async ({ git, push }) => {
        const sha = await git.commit({ ".service-ci.yml": manifest });
        return { sha, ref: (await push({ sha }))[0]! };
      }),
    );
    for (const { sha } of pushed) await statesAre(sha, ["pending"]);
    await suite.as(suite.users.ann, () => Promise.all(pushed.map(({ ref }) => suite.builds.killBuild({ ref: ref }))));
    for (const { sha } of pushed) await statesAre(sha, ["pending", "error"]);
  });

  it("several builds of a commit are reported together, with the build that decides the status", async () => {
    const { git, push } = await hooked("github", token);
    const sha = await git.commit({ ".service-ci.yml": manifest, ".service-ci/b.yml": manifest });
    const [first, second] = await push({ sha });
    await statesAre(sha, ["pending"]);
    await suite.as(suite.users.ann, () => suite.builds.killBuild({ ref: second! }));
    await finish((await build(first!)).id, "passed");
    await statesAre(sha, ["pending", "error"]);
    expect(statusRequests(sha)[1]!.json.target_url).toBe(urlOf(second!.number));
  });

  it("an invalid manifest is reported as an error, a missing one is not reported", async () => {
    const { git, push } = await hooked("gitea", token);
    const none = await git.commit({ "README.md": "x" });
    expect(await push({ sha: none })).toEqual([]);
    const sha = await git.commit({ ".service-ci.yml": "driver: {type: submarine}" });
    expect(await push({ sha })).toEqual([]);
    await statesAre(sha, ["error"]);
    expect(statusRequests(none)).toEqual([]);
  });

  it("a commit's status shows the first complaint, also if an earlier manifest made no build for another reason", async () => {
    const { git, push, ...hook } = await hooked("gitea", token);
    const files = {
      ".service-ci/a.yml": `${manifest}when: {event: pull}\n`,
      ".service-ci/b.yml": "driver: {type: submarine}",
    };
    const sha = await git.commit(files);
    expect(await push({ sha })).toEqual([]);
    await statesAre(sha, ["error"]);
    const { description } = statusRequests(sha)[0]!.json;
    expect(description).toMatch(/^\.service-ci\/b\.yml: /);
    const [delivery] = await deliveriesOf({ git, push, ...hook });
    const unwanted = ".service-ci/a.yml: the manifest's when does not match: event";
    expect([delivery!.reasons[0], delivery!.reasons.at(-1)]).toEqual([expect.stringContaining("b.yml: "), unwanted]);
  });

  it("nothing is reported without an access token", async () => {
    const { git, push } = await hooked("github");
    const sha = await git.commit({ ".service-ci.yml": "driver: {type: submarine}" });
    await push({ sha });
    const other = await hooked("github", token);
    const later = await other.git.commit({ ".service-ci.yml": "driver: {}" }, "refs/heads/main", "later");
    await other.push({ sha: later });
    await statesAre(later, ["error"]);
    expect(statusRequests(sha)).toEqual([]);
  });
});

describe("a provider", () => {
  it.each([
    ["for a while gets the report again", 2],
    ["at every attempt still gets the final report", 3],
  ])("that fails %s", async (_, failures) => {
    const { git, push } = await hooked("github", token);
    const sha = await git.commit({ ".service-ci.yml": manifest });
    let attempts = 0;
    answer = () => ({ status: ++attempts > failures ? 201 : 502 });
    const [ref] = await push({ sha });
    await statesAre(sha, ["pending", "pending", "pending"]);
    await finish((await build(ref!)).id, "passed");
    await statesAre(sha, ["pending", "pending", "pending", "success"]);
  });

  it("that rejects a report does not receive it again, but still receives the final one", async () => {
    const { git, push } = await hooked("github", token);
    const sha = await git.commit({ ".service-ci.yml": manifest });
    answer = () => ({ status: 403 });
    const [made] = await push({ sha });
    await statesAre(sha, ["pending"]);
    await finish((await build(made!)).id, "passed");
    await statesAre(sha, ["pending", "success"]);
  });

  const secondary = { message: "You have exceeded a secondary rate limit. Please wait a few minutes." };
  it.each<[string, Answer]>([
    ["whose rate limit is reached, with a time to wait,", { status: 403, headers: { "retry-after": "60" } }],
    ["whose rate limit is reached, with a count,", { status: 403, headers: { "x-ratelimit-remaining": "0" } }],
    ["whose secondary rate limit is reached", { status: 403, body: JSON.stringify(secondary) }],
    ["that is writing another status of the commit", { status: 409 }],
  ])("%s receives the report again", async (_, refusal) => {
    const { git, push } = await hooked("github", token);
    const sha = await git.commit({ ".service-ci.yml": manifest });
    const [made] = await push({ sha });
    await statesAre(sha, ["pending"]);
    let refused = false;
    answer = () => {
      if (refused) return { status: 201 };
      refused = true;
      return refusal;
    };
    await finish((await build(made!)).id, "passed");
    await statesAre(sha, ["pending", "success", "success"]);
  });

  it("whose repository is unreadable for a while gets its builds later", async () => {
    const { git, push } = await hooked("github", token);
    const sha = await git.commit({ ".service-ci.yml": manifest });
    intercept = () => ({ status: 503 });
    expect(await push({ sha })).toEqual([]);
    intercept = () => undefined;
    await statesAre(sha, ["pending"]);
  });

  it("whose repository stays unreadable gets an error report after the last attempt", async () => {
    const { git, push } = await hooked("github", token);
    const sha = await git.commit({ ".service-ci.yml": manifest });
    const [path] = new URL(git.url).pathname.split(".git");
    intercept = (url) => (url.startsWith(path!) ? { status: 404 } : undefined);
    expect(await push({ sha })).toEqual([]);
    await statesAre(sha, ["error"]);
    expect(statusRequests(sha)[0]!.json.target_url).toBeUndefined();
    expect(server().gitRequests.filter((request) => request.includes(`${path!}.git/`))).toHaveLength(3);
  });
});
