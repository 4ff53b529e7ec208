// Runs the built binary, cli/dist/main.js, against a server that answers with these records.
import { receiver } from "@ci/testkit/receiver";
import { Ci } from "./_ci.js";

const user = new Ci();
afterAll(() => user[Symbol.dispose]());

const at = "2026-01-01T00:00:00Z";
const namespaces = "/n/ann/team";

/** Runs a command whose requests are answered by path. Returns also the bodies of its requests. */
async function ran(records: Readonly<Record<string, unknown>>, words: readonly string[]) {
  await using server = await receiver({
    answer: ({ path }) => ({
      ...{ status: 200, headers: { "Content-Type": "application/json" } },
      body: JSON.stringify(records[path.replace(/\?.*/, "")]),
    }),
  });
  const { code, stdout, stderr } = await user.run(words, { env: { CI_SERVER: server.url, CI_TOKEN: "ci_one" } });
  return { code, stdout, stderr, bodies: server.requests.map(({ body }) => String(body)) };
}

test("the attempts of a delivery are a table", async () => {
  const attempt = { number: 1, redelivery: false, code: 503, duration: 7, error: null, created_at: at };
  const attempts = [attempt, { ...attempt, number: 2, redelivery: true, code: null, error: "timeout" }];
  const path = `${namespaces}/-/webhooks/1/deliveries/2`;
  const words = ["webhooks", "delivery", "1", "2", "-n", "team@ann"];
  const shown = await ran({ [path]: { id: 2, status: "failed", attempts } }, words);
  expect(shown).toMatchObject({ code: 0, stderr: "" });
  expect(shown.stdout).toBe(
    `id      2\nstatus  failed\n\nAttempts\n1\t${at}\t503\t7\t\tno\n2\t${at}\t\t7\ttimeout\tyes\n`,
  );
  const { stdout } = await ran({ [path]: { id: 2, status: "pending", attempts: [] } }, words);
  expect(stdout).toBe("id      2\nstatus  pending\n");
});

describe("a new repository", () => {
  const path = `${namespaces}/-/repositories`;
  const record = { id: 3, hook: "by_hand", hook_url: "http://ci.test/hooks/gitea/3" };
  const words = ["repos", "create", "gitea", "http://git.test/a.git", "-n", "team@ann"];

  test("has a new secret, which is shown once", async () => {
    const made = new Set<string>();
    for (const more of [[], ["--json"]]) {
      const { code, stdout, stderr, bodies } = await ran({ [path]: record }, [...words, ...more]);
      const { secret } = JSON.parse(bodies.at(-1)!);
      expect(secret).toMatch(/^[\w-]{43}$/);
      expect([code, stdout.split(secret)]).toEqual([0, [expect.any(String), expect.any(String)]]);
      expect(stderr).toContain(record.hook_url);
      made.add(secret);
    }
    expect(made.size).toBe(2);
  });

  test("has the secret that the user gives, which is not shown", async () => {
    const { stdout, bodies } = await ran({ [path]: record }, [...words, "--secret", "my-own"]);
    expect(JSON.parse(bodies.at(-1)!)).toMatchObject({ secret: "my-own" });
    expect(stdout).not.toContain("my-own");
  });

  test("is refused if --quiet would hide its new secret", async () => {
    const quiet = [...words, "--quiet"];
    expect(await ran({ [path]: record }, quiet)).toMatchObject({
      ...{ code: 2, stdout: "", bodies: [] },
      stderr: "--quiet would not show the new secret: give --secret, or use --json\n",
    });
    expect(await ran({ [path]: record }, [...quiet, "--secret", "my-own"])).toMatchObject({ code: 0, stdout: "3\n" });
    expect(JSON.parse((await ran({ [path]: record }, [...quiet, "--json"])).stdout).secret).toMatch(/^[\w-]{43}$/);
  });
});

test.each([
  ["built", 0],
  ["pending", 0],
  ["skipped", 1],
  ["failed", 1],
])("a run of a repository that is %s exits with %i", async (status, code) => {
  const delivery = { id: 4, status, builds: [], reasons: [] };
  const answers = { [`${namespaces}/-/repositories/3/run`]: delivery };
  const shown = await ran(answers, ["repos", "run", "3", "-n", "team@ann", "--json"]);
  expect({ ...shown, stdout: JSON.parse(shown.stdout) }).toMatchObject({ code, stdout: delivery, stderr: "" });
});

test("a build that waits for approval says how to approve it", async () => {
  const common = { number: 3, user: { username: "ann" }, url: "http://ci.test/b/ann/3", tags: [], created_at: at };
  const build = { ...common, status: "queued", trigger: { type: "pull", comment: "" } };
  const shown = async (reason: string) =>
    (await ran({ "/b/ann/3": { ...build, queue: { position: 1, reason } }, "/b/ann/3/jobs": [] }, ["show", "ann/3"]))
      .stderr;
  expect(await shown("waits for approval")).toBe("`ci approve ann/3` lets it run\n");
  expect(await shown("all runners are busy")).toBe("");
});

test("runners that no longer report are counted, and listed on request and in JSON", async () => {
  const runner = { id: "now", drivers: ["os"], busy: 0, places: 1, active: true, seen_at: at };
  const runners = [runner, { ...runner, id: "before", active: false }];
  const list = (...more: string[]) => ran({ "/runners": runners }, ["runners", ...more]);
  expect(await list()).toMatchObject({
    stdout: `now\tos\t0\t1\tyes\t${at}\n`,
    stderr: "1 more reported in the last hour. Add --all to see them\n",
  });
  expect(await list("--all", "-q")).toMatchObject({ stdout: "now\nbefore\n", stderr: "" });
  expect(JSON.parse((await list("--json")).stdout)).toEqual(runners);
});
