import type { Build_Status } from "@ci/proto/builds/v1/builds";
import { type Outcome, type Status, statusRequest, verdictOf, verdictOfAll } from "./status.js";

const builds = (...statuses: Build_Status[]) => statuses.map((status, id) => ({ id, status }));

it.each([
  [["queued"], "pending", 0],
  [["passed", "running", "failed"], "pending", 1],
  [["passed"], "success", 0],
  [["passed", "passed_with_failures"], "success", 0],
  [["passed", "failed"], "failure", 1],
  [["failed", "killed"], "cancelled", 1],
  [["failed", "killed", "timed_out"], "error", 2],
] as [Build_Status[], string, number][])("%p means %s", (statuses, verdict, id) => {
  expect(verdictOf(builds(...statuses), false)).toMatchObject({ verdict, build: { id } });
});

it("an invalid manifest means error, even without builds; no builds at all mean no verdict", () => {
  expect(verdictOf(builds("passed"), true)).toMatchObject({ verdict: "error" });
  expect(verdictOf([], true)).toEqual({ verdict: "error" });
  expect(verdictOf([], false)).toBeUndefined();
});

const [passed, failed, running] = (["passed", "failed", "running"] as const).map((one) => ({ builds: builds(one) }));
const invalid = { wrong: true, reasons: ["no such driver", "no such stage"], builds: builds("running") };

it.each([
  [[], undefined, undefined],
  [[{ builds: [] }], undefined, undefined],
  [[passed, { builds: [] }], "success", undefined],
  [[passed, failed], "failure", undefined],
  [[failed, passed, running], "pending", undefined],
  [[failed, invalid, passed], "error", "no such driver"],
  [[invalid, running], "pending", undefined],
] as [Outcome<{ id: number; status: Build_Status }>[], string | undefined, string | undefined][])(
  "deliveries %j mean %s",
  (outcomes, verdict, complaint) => {
    const found = verdictOfAll(outcomes);
    expect([found?.verdict, found?.complaint]).toEqual([verdict, complaint]);
  },
);

const status: Status = {
  provider: "github",
  cloneUrl: "https://github.com/octo/hello.git",
  sha: "abc",
  verdict: "pending",
  targetUrl: "https://ci.example/b/ann/1",
  accessToken: "t0ken",
};
const request = (overrides: Partial<Status> = {}) => {
  const { body, ...rest } = statusRequest({ ...status, ...overrides });
  return { ...rest, body: JSON.parse(body) };
};

it.each([
  ["github", "https://github.com/octo/hello.git", "https://api.github.com/repos/octo/hello/statuses/abc"],
  ["github", "https://git.example/octo/hello", "https://git.example/api/v3/repos/octo/hello/statuses/abc"],
  [
    "gitlab",
    "https://git.example:8443/a/b/hello.git",
    "https://git.example:8443/api/v4/projects/a%2Fb%2Fhello/statuses/abc",
  ],
  ["gitea", "http://git.example/octo/hello.git", "http://git.example/api/v1/repos/octo/hello/statuses/abc"],
  ["gitea", "http://git.example/git/octo/hello/", "http://git.example/git/api/v1/repos/octo/hello/statuses/abc"],
] as const)("%s gets the status of %s at %s", (provider, cloneUrl, url) => {
  expect(request({ provider, cloneUrl }).url).toBe(url);
});

it.each([
  ["github", "Authorization", "Bearer t0ken"],
  ["gitlab", "PRIVATE-TOKEN", "t0ken"],
  ["gitea", "Authorization", "token t0ken"],
] as const)("%s gets the token in %s", (provider, header, value) => {
  expect(request({ provider }).headers).toMatchObject({ [header]: value, "Content-Type": "application/json" });
});

it("providers get a state, a link and the context", () => {
  const fields = { target_url: status.targetUrl, description: expect.any(String), context: "service-ci" };
  for (const [verdict, state, gitlab] of [
    ["pending", "pending", "pending"],
    ["success", "success", "success"],
    ["failure", "failure", "failed"],
    ["error", "error", "failed"],
    ["cancelled", "error", "canceled"],
  ] as const) {
    expect(request({ verdict }).body).toEqual({ state, ...fields });
    expect(request({ verdict, provider: "gitea" }).body).toEqual({ state, ...fields });
    const { context: name, ...rest } = fields;
    expect(request({ verdict, provider: "gitlab" }).body).toEqual({ state: gitlab, name, ...rest });
  }
});
