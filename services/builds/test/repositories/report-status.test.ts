import type { FinishJobRequest_Outcome } from "@ci/proto/builds/v1/queue";
import { eventually } from "@ci/testkit/eventually";
import type { Answer } from "@ci/testkit/receiver";
import { bootHooks, manifest, providerNames } from "./_hooks.js";

let answer: () => Answer = () => ({ status: 201 });
let instead: (path: string) => Answer | undefined = () => undefined;
const { on, hooked, server, build } = bootHooks(
  { hookPausesMs: [20, 20] },
  { answer: () => answer(), before: ({ url }) => instead(url!) },
);
beforeEach(() => {
  answer = () => ({ status: 201 });
  instead = () => undefined;
});

/** What the provider was told about a commit. */
const told = (sha: string) =>
  server()
    .told.filter(({ path }) => path.includes(sha))
    .map(({ body, ...request }) => ({ ...request, json: JSON.parse(body.toString()) }));
const states = (sha: string) => told(sha).map(({ json }) => json.state);
const toldOf = (sha: string, expected: string[]) => eventually(() => expect(states(sha)).toEqual(expected));

/** Runs the build whose id this is, to this outcome. */
async function finish(id: number, outcome: FinishJobRequest_Outcome) {
  const claimed = await eventually(async () => {
    const assignment = await on.claim();
    expect(assignment?.buildId).toBe(id);
    return assignment!;
  });
  for (const [index] of claimed.jobs.entries())
    await on.finish(claimed, index, index === claimed.jobs.length - 1 ? outcome : "passed");
}

const token = "t0ken";
const urlOf = (number: number) => `http://ci.test/api/b/ann/${number}`;

describe("answers", () => {
  it.each(providerNames)("%s is told that a build is under way, and that it has passed", async (provider) => {
    const { git, push, record } = await hooked(provider, token);
    const sha = await git.commit({ ".service-ci.yml": manifest });
    const [made] = await push({ sha });
    await toldOf(sha, ["pending"]);
    await finish((await build(made!)).id, "passed");
    await toldOf(sha, ["pending", "success"]);
    const repository = new URL(record.url).pathname.slice(1).replace(/\.git$/, "");
    for (const { method, path, headers, json } of told(sha)) {
      expect([method, path]).toEqual([
        "POST",
        {
          github: `/api/v3/repos/${repository}/statuses/${sha}`,
          gitlab: `/api/v4/projects/15/statuses/${sha}`,
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
      expect([json.context ?? json.name, json.target_url]).toEqual(["service-ci", urlOf(made!.number)]);
    }
  });

  it.each([
    ["failed", "failure"],
    ["timed_out", "error"],
  ] as const)("of a build that has %s the %s", async (outcome, state) => {
    const { git, push } = await hooked("github", token);
    const sha = await git.commit({ ".service-ci.yml": manifest });
    const [made] = await push({ sha });
    await toldOf(sha, ["pending"]);
    await finish((await build(made!)).id, outcome);
    await toldOf(sha, ["pending", state]);
  });

  it("of builds of several deliveries that end in the same moment, each its own", async () => {
    const several = await Promise.all(["a", "b", "c", "d", "e", "f"].map(() => hooked("gitea", token)));
    const pushed = await Promise.all(
      several.map(async ({ git, push }) => {
        const sha = await git.commit({ ".service-ci.yml": manifest });
        return { sha, made: (await push({ sha }))[0]! };
      }),
    );
    for (const { sha } of pushed) await toldOf(sha, ["pending"]);
    await on.as(on.users.ann, () => Promise.all(pushed.map(({ made }) => on.builds.killBuild({ ref: made }))));
    for (const { sha } of pushed) await toldOf(sha, ["pending", "error"]);
  });

  it("of several builds together: the one that decides", async () => {
    const { git, push } = await hooked("github", token);
    const sha = await git.commit({ ".service-ci.yml": manifest, ".service-ci/b.yml": manifest });
    const [one, two] = await push({ sha });
    await toldOf(sha, ["pending"]);
    await on.as(on.users.ann, () => on.builds.killBuild({ ref: two! }));
    await finish((await build(one!)).id, "passed");
    await toldOf(sha, ["pending", "error"]);
    expect(told(sha)[1]!.json.target_url).toBe(urlOf(two!.number));
  });

  it("of an invalid manifest an error, and of no manifest nothing", async () => {
    const { git, push } = await hooked("gitea", token);
    const none = await git.commit({ "README.md": "x" });
    expect(await push({ sha: none })).toEqual([]);
    const sha = await git.commit({ ".service-ci.yml": "driver: {type: submarine}" });
    expect(await push({ sha })).toEqual([]);
    await toldOf(sha, ["error"]);
    expect(told(none)).toEqual([]);
  });

  it("nothing without a token", async () => {
    const { git, push } = await hooked("github");
    const sha = await git.commit({ ".service-ci.yml": "driver: {type: submarine}" });
    await push({ sha });
    const other = await hooked("github", token);
    const later = await other.git.commit({ ".service-ci.yml": "driver: {}" }, "refs/heads/main", "later");
    await other.push({ sha: later });
    await toldOf(later, ["error"]);
    expect(told(sha)).toEqual([]);
  });
});

describe("a provider", () => {
  it.each([
    ["for a while is told again", 2],
    ["to the last attempt is told the end all the same", 3],
  ])("that fails %s", async (_, failures) => {
    const { git, push } = await hooked("github", token);
    const sha = await git.commit({ ".service-ci.yml": manifest });
    let asked = 0;
    answer = () => ({ status: ++asked > failures ? 201 : 502 });
    const [made] = await push({ sha });
    await toldOf(sha, ["pending", "pending", "pending"]);
    await finish((await build(made!)).id, "passed");
    await toldOf(sha, ["pending", "pending", "pending", "success"]);
  });

  it("that refuses is not told the same again, but the end all the same", async () => {
    const { git, push } = await hooked("github", token);
    const sha = await git.commit({ ".service-ci.yml": manifest });
    answer = () => ({ status: 403 });
    const [made] = await push({ sha });
    await toldOf(sha, ["pending"]);
    await finish((await build(made!)).id, "passed");
    await toldOf(sha, ["pending", "success"]);
  });

  it("whose repository cannot be read for a while gets its builds later", async () => {
    const { git, push } = await hooked("github", token);
    const sha = await git.commit({ ".service-ci.yml": manifest });
    instead = () => ({ status: 503 });
    expect(await push({ sha })).toEqual([]);
    instead = () => undefined;
    await toldOf(sha, ["pending"]);
  });

  it("whose repository cannot be read at all is told so in the end", async () => {
    const { git, push } = await hooked("github", token);
    const sha = await git.commit({ ".service-ci.yml": manifest });
    const [path] = new URL(git.url).pathname.split(".git");
    instead = (url) => (url.startsWith(path!) ? { status: 404 } : undefined);
    expect(await push({ sha })).toEqual([]);
    await toldOf(sha, ["error"]);
    expect(told(sha)[0]!.json.target_url).toBeUndefined();
    expect(server().asked.filter((one) => one.includes(`${path!}.git/`))).toHaveLength(3);
  });
});
