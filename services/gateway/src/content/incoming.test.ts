import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { PassThrough } from "node:stream";
import { contentOf, readAll } from "./incoming.js";

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

test("contentOf joins the single bytes in which a client may send a body", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const count = 50_000;
  const bytes = Array.from({ length: count }, (_, i) => `1\r\n${i % 10}\r\n`);
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${bytes.join("")}0\r\n\r\n`);
  const [request] = (await once(server, "request")) as [IncomingMessage];
  const pieces: Buffer[] = [];
  for await (const piece of contentOf(request)) pieces.push(piece);
  expect(Buffer.concat(pieces).toString()).toBe("0123456789".repeat(count / 10));
  expect(pieces.length).toBeLessThan(count / 100);
  socket.destroy();
  await once(server.close(), "close");
});
