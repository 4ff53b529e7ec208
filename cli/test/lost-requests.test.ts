// Runs the built binary, cli/dist/main.js, against a server that fails some requests.
import { type Answer, type Received, receiver } from "@ci/testkit/receiver";
import { Ci, manifestOf } from "./_ci.js";

const user = new Ci();
afterAll(() => user[Symbol.dispose]());

const json = (status: number, value: unknown, headers = {}): Answer => ({
  status,
  headers: { "Content-Type": "application/json", ...headers },
  body: JSON.stringify(value),
});
const busy = json(503, { message: "Busy" });
const forbidden = json(403, { message: "Forbidden" });
const ended = (status: string): Answer => ({
  status: 200,
  headers: { "Content-Type": "text/event-stream" },
  body: `event: end\ndata: {"status":"${status}"}\n\n`,
});

const nth = (number: number) => ({
  ...{ number, user: { username: "ann" }, url: `http://ci.test/b/ann/${number}`, status: "queued" },
  group: { id: 7, axes: { N: String(number) } },
});

type Failing = (request: Received, count: number) => Answer | undefined;

/** A server with a matrix of two builds, which `failing` may answer instead. */
async function serverOf(failing: Failing) {
  const counts = new Map<string, number>();
  return receiver({
    answer(request) {
      const name = `${request.method} ${request.path.replace(/\?.*/, "")}`;
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      const failed = failing(request, count);
      if (failed) return failed;
      if (request.method === "POST") return json(201, nth(1));
      if (name === "GET /builds") return json(200, [nth(2), nth(1)]);
      if (name.endsWith("/output")) return ended("passed");
      return json(200, { ...nth(Number(name.split("/").at(-1))), status: "passed", started_at: null });
    },
  });
}

const submit = (url: string, ...words: string[]) =>
  user.run(["submit", "-", ...words], { input: manifestOf(["true"]), env: { CI_SERVER: url, CI_TOKEN: "ci_one" } });

test("a delivery that was cancelled is a failure", async () => {
  const cancelled = json(202, { id: 9, status: "cancelled" });
  await using server = await serverOf(({ path }) => (path.endsWith("/webhooks/7/test") ? cancelled : undefined));
  const env = { CI_SERVER: server.url, CI_TOKEN: "ci_one" };
  const { code, stdout } = await user.run(["webhooks", "test", "7", "-n", "team@ann"], { env });
  expect([code, stdout]).toEqual([1, expect.stringMatching(/^status +cancelled$/m)]);
});

test("a webhook is shown without its counts while the server cannot tell them", async () => {
  await using server = await serverOf(({ path }) => (path.endsWith("/stats") ? busy : undefined));
  const env = { CI_SERVER: server.url, CI_TOKEN: "ci_one" };
  const shown = await user.run(["webhooks", "show", "7", "-n", "team@ann"], { env });
  expect(shown).toMatchObject({ code: 0, stdout: expect.not.stringContaining("deliveries"), stderr: "" });
});

const isList = ({ method, path }: Received) => method === "GET" && path.startsWith("/builds");
const started = (number: number) => `Build ann/${number} N=${number}: http://ci.test/b/ann/${number}\n`;
const bothPassed = `${started(1)}Build ann/1 passed\n${started(2)}Build ann/2 passed\n`;

test.each([
  ["busy", busy],
  ["limited", json(429, { message: "Too many requests" })],
  ["refused", forbidden],
])("the exit code is that of the builds if the server does not say how long they took: %s", async (_what, answer) => {
  await using server = await serverOf(({ path }) => (/^\/b\/ann\/\d+(\?|$)/.test(path) ? answer : undefined));
  expect(await submit(server.url, "-f")).toEqual({ code: 0, stdout: "", stderr: bothPassed });
});

test("a list of the matrix that fails at first is requested again, and all builds are followed", async () => {
  await using server = await serverOf((request, count) => (isList(request) && count <= 2 ? busy : undefined));
  const lost = "The connection is lost (Busy); trying again\n";
  expect(await submit(server.url, "-f")).toEqual({
    ...{ code: 0, stdout: "", stderr: started(1) + lost + lost + bothPassed },
  });
  expect(server.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
});

test.each([
  [[], "ann/1\thttp://ci.test/b/ann/1\n"],
  [["-q"], "ann/1\n"],
  [["-f"], ""],
])("the submitted build is named if the rest of its matrix cannot be listed: %j", async (words, stdout) => {
  await using server = await serverOf((request) => (isList(request) ? forbidden : undefined));
  expect(await submit(server.url, ...words)).toEqual({
    ...{ code: 1, stdout },
    stderr: `ann/1 was submitted, but the builds of its matrix cannot be listed: Forbidden\n`,
  });
});

test("the record of a submitted build needs no list of its matrix", async () => {
  await using server = await serverOf((request) => (isList(request) ? busy : undefined));
  const { code, stdout } = await submit(server.url, "--json");
  expect([code, JSON.parse(stdout)]).toEqual([0, nth(1)]);
});

test.each([
  ["submit -", "POST /builds", "503 Service Unavailable"],
  ["restart ann/1", "POST /b/ann/1/restart", "502 Bad Gateway"],
  ["cron run 7", "POST /cron/7/run", "504 Gateway Timeout"],
])("ci %s is repeated with the same key until the server is back", async (words, request, said) => {
  const failing: Failing = ({ method }, count) =>
    method === "POST" && count <= 2 ? json(Number(said.slice(0, 3)), { message: "Away" }) : undefined;
  await using server = await serverOf(failing);
  const env = { CI_SERVER: server.url, CI_TOKEN: "ci_one" };
  const { code, stderr } = await user.run(words.split(" "), { input: manifestOf(["true"]), env });
  const away = `The server is not available (${said}); trying again\n`;
  expect({ code, stderr }).toEqual({ code: 0, stderr: away + away });
  const sent = server.requests.filter(({ method }) => method === "POST");
  expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([request, request, request]);
  expect(new Set(sent.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
});
