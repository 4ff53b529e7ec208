// Runs the built binary, cli/dist/main.js, against a server that notes its requests.
import { receiver } from "@ci/testkit/receiver";
import { Ci } from "./_ci.js";

const user = new Ci();
afterAll(() => user[Symbol.dispose]());

const build = {
  ...{ number: 3, user: { username: "ann" }, url: "http://ci.test/b/ann/3", status: "passed", tags: [] },
  ...{ trigger: { type: "manual", comment: "" }, created_at: "2026-01-01T00:00:00Z" },
};

const requestsOf = async (words: readonly string[]) => {
  await using server = await receiver({
    answer: ({ path }) => ({
      ...{ status: 200, headers: { "Content-Type": "application/json" } },
      body: JSON.stringify(path.includes("/jobs") ? [] : build),
    }),
  });
  const { code } = await user.run(words, { env: { CI_SERVER: server.url, CI_TOKEN: "ci_one" } });
  return { code, paths: server.requests.map(({ path }) => path) };
};

test.each([
  [["jobs", "ann/3"], ["/b/ann/3/jobs?brief=true&page=1"]],
  [
    ["show", "ann/3"],
    ["/b/ann/3?brief=true", "/b/ann/3/jobs?brief=true&page=1"],
  ],
  [["show", "ann/3", "-q"], ["/b/ann/3?brief=true"]],
  [["jobs", "ann/3", "--json"], ["/b/ann/3/jobs?page=1"]],
  [["show", "ann/3", "--json"], ["/b/ann/3"]],
])("outputs are read only for JSON: %j", async (words, paths) => {
  expect(await requestsOf(words)).toEqual({ code: 0, paths });
});
