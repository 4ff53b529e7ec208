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

  test.each(["HTTP/1.1 200 OK", "HTTP/1.1 200 OK\r\nConnection: close", "HTTP/1.0 200 OK"])(
    "fails if a body without a length after %j ends in a reset",
    async (head) => {
      const server = await listen(
        createTcpServer((socket) =>
          socket.on("error", () => {}).once("data", () => socket.write(`${head}\r\n\r\nfirst of many`)),
        ),
      );
      const read = async () => {
        using response = await guardedStream(agentFor(), `http://127.0.0.1:${server.port}`, { timeoutMs: 600_000 });
        for await (const _ of response.body) for (const socket of server.open) socket.resetAndDestroy();
      };
      expect(await reasonOf(read())).toBe("FetchFailed: connection reset");
    },
  );

  const whole = "whole body";
  const withLength = (body: string, length = body.length) => `\r\nContent-Length: ${length}\r\n\r\n${body}`;

  test.each<[string, (body: string) => string, string]>([
    ["after the body, as announced", (body) => `HTTP/1.1 200 OK\r\nConnection: close${withLength(body)}`, whole],
    ["after the body, without notice", (body) => `HTTP/1.1 200 OK${withLength(body)}`, whole],
    ["as the end of the body", (body) => `HTTP/1.1 200 OK\r\n\r\n${body}`, whole],
    ["as the end of the body of HTTP/1.0", (body) => `HTTP/1.0 200 OK\r\n\r\n${body}`, whole],
    [
      "in the body",
      (body) => `HTTP/1.1 200 OK\r\nConnection: close${withLength(body, 500_000)}`,
      "FetchFailed: connection reset",
    ],
  ])("a slow reader gets all if a server closes the connection %s", async (_, responseWith, outcome) => {
    const bodies = ["x".repeat(400_000), "x".repeat(65_536)];
    for (const body of bodies) {
      const server = await listen(
        createTcpServer((socket) => socket.once("data", () => socket.end(responseWith(body)))),
      );
      const read = async () => {
        using stream = await guardedStream(agentFor(), `http://127.0.0.1:${server.port}`, { timeoutMs: 60_000 });
        // The short body fits in the buffers of the connection.
        if (body === bodies[1]) await eventually(() => expect(server.open.size).toBe(0));
        let sizeBytes = 0;
        for await (const chunk of stream.body) {
          sizeBytes += chunk.length;
          for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
        }
        expect(sizeBytes).toBe(body.length);
        return whole;
      };
      for (let repeated = 0; repeated < 10; repeated++)
        expect(await read().catch((error) => `${error.name}: ${error.message}`)).toBe(outcome);
    }
  });
});
