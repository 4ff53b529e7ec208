import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { parseRanges } from "@ci/kit/net/guard";
import { eventually } from "@ci/testkit/eventually";
import { serveHttp } from "./server.js";

const config = {
  stopGraceMs: 0,
  maxConnections: 4,
  connectionsPerAddress: 2,
  trustedProxies: parseRanges("127.0.0.9"),
};

async function statusFrom(port: number, localAddress: string): Promise<{ socket: Socket; status?: string }> {
  const socket = connect({ port, host: "127.0.0.1", localAddress }).on("error", () => undefined);
  socket.write("GET / HTTP/1.1\r\n\r\n");
  const [chunk] = await Promise.race([once(socket, "data"), once(socket, "close")]);
  return { socket, status: /^HTTP\/1\.1 (\d+)/.exec(String(chunk))?.[1] };
}

test("an address has some of the connections, and a trusted proxy may have all", async () => {
  await using server = await serveHttp("127.0.0.1:0", (_request, response) => response.end(), config);
  const open = (address: string) => statusFrom(server.port, address);
  const [first, second] = [await open("127.0.0.1"), await open("127.0.0.1")];
  const third = await open("127.0.0.1");
  const proxied = [await open("127.0.0.9"), await open("127.0.0.9")];
  const refused = await open("127.0.0.9");
  expect([first, second, third, ...proxied, refused].map(({ status }) => status)).toEqual([
    ...["200", "200", undefined],
    ...["200", "200", undefined],
  ]);
  first.socket.destroy();
  await eventually(async () => expect((await open("127.0.0.1")).status).toBe("200"));
  for (const { socket } of [second, ...proxied]) socket.destroy();
});

async function received(port: number, ...texts: string[]): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1" }).on("error", () => undefined);
  for (const one of texts) socket.write(one);
  return text(socket).catch(() => "reset");
}

test("a malformed request does not take the place of the response to the one before it", async () => {
  await using server = await serveHttp(
    "127.0.0.1:0",
    (_request, response) => setImmediate(() => response.end("first")),
    config,
  );
  const both = await received(server.port, "GET / HTTP/1.1\r\n\r\nmalformed\r\n\r\n");
  expect(both).toMatch(/^HTTP\/1\.1 200 OK\r\nConnection: close\r\n.*\r\n\r\nfirst$/s);
});

test("a malformed body is refused, although its request waits for a response", async () => {
  await using server = await serveHttp("127.0.0.1:0", () => undefined, config);
  const refused = await received(server.port, "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nmalformed\r\n");
  expect(refused).toMatch(/^HTTP\/1\.1 400 .*"Malformed request"/s);
});

test.each(["gzip, chunked", "deflate,Chunked"])("a body with Transfer-Encoding: %s is refused", async (coding) => {
  await using server = await serveHttp("127.0.0.1:0", (_request, response) => response.end(), config);
  const head = `POST / HTTP/1.1\r\nTransfer-Encoding: ${coding}\r\n\r\n`;
  expect(await received(server.port, `${head}0\r\n\r\n`)).toMatch(
    /^HTTP\/1\.1 400 .*Connection: close.*\{"message":"Transfer-Encoding must be chunked"\}$/s,
  );
});

test("a malformed request behind a response that is being sent closes the connection, and adds nothing to it", async () => {
  await using server = await serveHttp(
    "127.0.0.1:0",
    (_request, response) => void response.write("first half"),
    config,
  );
  const socket = connect({ port: server.port, host: "127.0.0.1" }).on("error", () => undefined);
  socket.write("GET / HTTP/1.1\r\n\r\n");
  const [head] = (await once(socket, "data")) as [Buffer];
  socket.write("malformed\r\n\r\n");
  expect(`${head}${await text(socket).catch(() => "")}`).toMatch(/^HTTP\/1\.1 200 .*first half\s*$/s);
});
