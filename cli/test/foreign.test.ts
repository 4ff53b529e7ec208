// Runs the built binary, cli/dist/main.js, against servers that are not Service CI.
import { type Answer, type Receiver, receiver } from "@ci/testkit/receiver";
import { Ci } from "./_ci.js";

const page: Answer = { status: 200, headers: { "Content-Type": "text/html" }, body: "<!doctype html><p>Sign in" };
const stream: Answer = {
  status: 200,
  headers: { "Content-Type": "text/event-stream; charset=utf-8" },
  body: 'event: builds\nid: 7\ndata: {"action":"created"}\n\n',
};

const user = new Ci();
afterAll(() => user[Symbol.dispose]());

const explained = ({ url }: Receiver) => ({
  code: 1,
  stderr: expect.stringContaining(
    `${url} does not answer as Service CI. Perhaps a proxy or a sign-in page is in front of it, or the address is wrong\n`,
  ),
});

test.each([
  "list",
  "whoami",
  "vars list",
  "logs ann/3",
  "logs -f 3",
  "logs -f ann/3",
  "kill ann/3",
  "pin ann/3",
  "events",
  "artifacts download ann/3",
  "objects download 3",
  "objects create o -",
])("a sign-in page in front of the server is no answer to ci %s", async (words) => {
  await using proxy = await receiver({ answer: () => page });
  const env = { CI_SERVER: proxy.url, CI_TOKEN: "ci_one" };
  expect(await user.run(words.split(" "), { env })).toEqual({ ...explained(proxy), stdout: "" });
});

test("a stream ends when its proxy answers with a sign-in page", async () => {
  let nth = 0;
  await using proxy = await receiver({ answer: () => (nth++ === 0 ? stream : page) });
  const ended = await user.run(["events", "-f"], { env: { CI_SERVER: proxy.url, CI_TOKEN: "ci_one" } });
  expect(ended).toEqual({ ...explained(proxy), stdout: "7\tbuilds\tcreated\n" });
});

test("an object where a list belongs is no bug of ci", async () => {
  const answer = () => ({ status: 200, headers: { "Content-Type": "application/json" }, body: "{}" });
  await using other = await receiver({ answer });
  const ended = await user.run(["list"], { env: { CI_SERVER: other.url, CI_TOKEN: "ci_one" } });
  expect(ended).toEqual({ ...explained(other), stdout: "" });
});

test("a response that is no JSON is no bug of ci", async () => {
  await using other = await receiver({
    answer: () => ({ status: 200, headers: { "Content-Type": "text/plain" }, body: "OK" }),
  });
  const ended = await user.run(["list"], { env: { CI_SERVER: other.url, CI_TOKEN: "ci_one" } });
  expect(ended).toMatchObject({ code: 1, stderr: expect.stringMatching(/^The server's response is not JSON/) });
});
