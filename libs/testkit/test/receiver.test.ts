import { receiver } from "../src/receiver.js";

test("the receiver records requests and answers 200", async () => {
  await using server = await receiver();
  const response = await fetch(`${server.url}/a?b=c`, { method: "PUT", headers: { "x-colour": "blue" }, body: "plum" });
  expect(response.status).toBe(200);
  expect(server.requests).toMatchObject([{ method: "PUT", path: "/a?b=c", headers: { "x-colour": "blue" } }]);
  expect(server.requests[0]?.body.toString()).toBe("plum");
});

test("the receiver responds with the result of `answer`", async () => {
  await using server = await receiver({
    answer: async ({ path }) => ({ status: 418, headers: { "x-path": path }, body: "short and stout" }),
  });
  const response = await fetch(`${server.url}/pot`);
  expect([response.status, response.headers.get("x-path"), await response.text()]).toEqual([
    418,
    "/pot",
    "short and stout",
  ]);
});

test("the receiver responds 500 with the error's message if `answer` throws", async () => {
  await using server = await receiver({
    answer: () => {
      throw new Error("no tea");
    },
  });
  const response = await fetch(server.url);
  expect([response.status, await response.text()]).toEqual([500, expect.stringContaining("no tea")]);
});

test("disposing the receiver closes connections that wait for a response", async () => {
  const server = await receiver({ answer: () => new Promise(() => {}) });
  const pending = fetch(server.url).then(
    () => "responded",
    () => "cut",
  );
  while (server.requests.length === 0) await new Promise(setImmediate);
  await server[Symbol.asyncDispose]();
  expect(await pending).toBe("cut");
});
