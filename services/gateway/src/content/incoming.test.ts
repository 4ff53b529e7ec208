import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { readAll } from "./incoming.js";

const aBody = () => Object.assign(new PassThrough(), { headers: {} });
const read = (body: PassThrough, pace: Parameters<typeof readAll>[2]) =>
  readAll(body as unknown as IncomingMessage, 1_000_000, pace);
const tooSlow = { status: 400, message: "Request body arrives too slowly; send it again over a faster connection" };
const longMs = 600_000;

test("readAll gives up a body that takes too long", async () => {
  const body = aBody();
  const reading = read(body, { timeoutMs: 20, windowMs: longMs, windowBytes: 1 });
  body.write("x");
  await expect(reading).rejects.toMatchObject(tooSlow);
});

test("readAll gives up a body that arrives with less than the least rate", async () => {
  const body = aBody();
  const reading = read(body, { timeoutMs: longMs, windowMs: 20, windowBytes: 1_000 });
  body.write("x".repeat(999));
  await expect(reading).rejects.toMatchObject(tooSlow);
});

test("readAll reads a body that arrives fast enough", async () => {
  const body = aBody();
  const reading = read(body, { timeoutMs: longMs, windowMs: longMs, windowBytes: 1_000 });
  body.write("a");
  body.end("b");
  expect((await reading).toString()).toBe("ab");
});
