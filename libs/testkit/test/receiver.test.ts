import { receiver } from "../src/receiver.js";

test("records requests", async () => {
  await using to = await receiver();
  const answer = await fetch(`${to.url}/a?b=c`, { method: "PUT", headers: { "x-colour": "blue" }, body: "plum" });
  expect(answer.status).toBe(200);
  expect(to.requests).toMatchObject([{ method: "PUT", path: "/a?b=c", headers: { "x-colour": "blue" } }]);
  expect(to.requests[0]?.body.toString()).toBe("plum");
});

test("answers with the result of `answer`", async () => {
  await using to = await receiver({
    answer: async ({ path }) => ({ status: 418, headers: { "x-path": path }, body: "short and stout" }),
  });
  const answer = await fetch(`${to.url}/pot`);
  expect([answer.status, answer.headers.get("x-path"), await answer.text()]).toEqual([418, "/pot", "short and stout"]);
});

test("responds 500 with the message if `answer` throws", async () => {
  await using to = await receiver({
    answer: () => {
      throw new Error("no tea");
    },
  });
  const answer = await fetch(to.url);
  expect([answer.status, await answer.text()]).toEqual([500, expect.stringContaining("no tea")]);
});

test("closes connections that wait for an answer when disposed", async () => {
  const to = await receiver({ answer: () => new Promise(() => {}) });
  const asking = fetch(to.url).then(
    () => "answered",
    () => "cut",
  );
  while (to.requests.length === 0) await new Promise(setImmediate);
  await to[Symbol.asyncDispose]();
  expect(await asking).toBe("cut");
});
