import { once } from "node:events";
import { createServer as createTcpServer } from "node:net";
import { eventually } from "@ci/testkit/eventually";
import { guardedStream } from "../src/net/guarded-fetch.js";
import { agentFor, httpServer, listen, reasonOf } from "./fetching.js";

describe("guardedStream", () => {
  test("returns the body as it arrives", async () => {
    const { url } = await httpServer(async (_, response) => {
      for (let i = 0; i < 64; i++) if (!response.write(Buffer.alloc(65_536, i))) await once(response, "drain");
      response.end();
    });
    using response = await guardedStream(agentFor(), url, { timeoutMs: 600_000 });
    let sizeBytes = 0;
    for await (const chunk of response.body) sizeBytes += chunk.length;
    expect([response.status, sizeBytes]).toEqual([200, 64 * 65_536]);
  });

  test("joins the single bytes in which a server may send the body", async () => {
    const count = 50_000;
    const bytes = Array.from({ length: count }, (_, i) => `1\r\n${i % 10}\r\n`).join("");
    const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    const server = await listen(
      createTcpServer((socket) => socket.once("data", () => socket.write(`${head}${bytes}0\r\n\r\n`))),
    );
    using response = await guardedStream(agentFor(), `http://127.0.0.1:${server.port}`, { timeoutMs: 600_000 });
    const pieces: Buffer[] = [];
    for await (const piece of response.body) pieces.push(piece);
    expect(Buffer.concat(pieces).toString()).toBe("0123456789".repeat(count / 10));
    expect(pieces.length).toBeLessThan(count / 100);
  });

  test("closes the connection when it is disposed before it is read", async () => {
    const { url, open } = await httpServer((_, response) => void response.write("first of many"));
    {
      using response = await guardedStream(agentFor(), url, { timeoutMs: 600_000 });
      expect([response.status, open.size]).toEqual([200, 1]);
    }
    await eventually(() => expect(open.size).toBe(0));
  });

  test("fails with a timeout in the middle of the body", async () => {
    const { url } = await httpServer((_, response) => void response.write("first of many"));
    const read = async () => {
      using response = await guardedStream(agentFor(), url, { timeoutMs: 300 });
      for await (const chunk of response.body) expect(chunk.toString()).toBe("first of many");
    };
    expect(await reasonOf(read())).toBe("FetchFailed: timeout");
  });

  const body = "x".repeat(200_000);
  const ends = `\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

  test.each([
    ["as announced", `HTTP/1.1 200 OK\r\nConnection: close${ends}`],
    ["without notice", `HTTP/1.1 200 OK${ends}`],
    ["as the end of the body", `HTTP/1.1 200 OK\r\n\r\n${body}`],
    ["as the end of the body of HTTP/1.0", `HTTP/1.0 200 OK\r\n\r\n${body}`],
  ])("a slow reader gets the whole body of a server that closes the connection %s", async (_, response) => {
    const { port } = await listen(createTcpServer((socket) => socket.once("data", () => socket.end(response))));
    for (let repeated = 0; repeated < 10; repeated++) {
      using stream = await guardedStream(agentFor(), `http://127.0.0.1:${port}`, { timeoutMs: 600_000 });
      let sizeBytes = 0;
      for await (const chunk of stream.body) {
        sizeBytes += chunk.length;
        for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
      }
      expect(sizeBytes).toBe(body.length);
    }
  });
});
