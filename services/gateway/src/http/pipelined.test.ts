import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { eventually } from "@ci/testkit/eventually";
import { serveHttp } from "./server.js";

const config = { stopGraceMs: 0, maxConnections: 4, connectionsPerAddress: 0, trustedProxies: [] };

const requestsFor = (...urls: string[]) => urls.map((url) => `GET ${url} HTTP/1.1\r\n\r\n`).join("");

/** Responds to requests with their addresses, and holds the responses to those of /held. */
async function serving() {
  const begun: string[] = [];
  const turns = new Set<object>();
  let turn: object | undefined;
  const responses: ServerResponse[] = [];
  const server = await serveHttp(
    "127.0.0.1:0",
    ({ url }, response) => {
      begun.push(url!);
      if (!turn) setImmediate(() => (turn = undefined));
      turn ??= {};
      turns.add(turn);
      if (url === "/held") responses.push(response);
      else response.end(url);
    },
    config,
  );
  const send = (...urls: string[]) => {
    const socket = connect(server.port, "127.0.0.1").on("error", () => undefined);
    socket.write(requestsFor(...urls));
    return socket;
  };
  return { server, begun, turns, responses, send };
}

const numbered = (count: number) => Array.from({ length: count }, (_, nth) => `/${nth}`);

test("requests that arrive together begin one after another, in turns of their own", async () => {
  const { server, begun, turns, responses, send } = await serving();
  await using _ = server;
  const socket = send("/held", ...numbered(20));
  await eventually(() => expect(responses).toHaveLength(1));
  send("/other");
  await eventually(() => expect(begun).toContain("/other"));
  expect(begun).toEqual(["/held", "/other"]);
  responses[0]!.end("/held");
  await eventually(() => expect(begun).toHaveLength(22));
  expect(turns.size).toBe(22);
  socket.end();
  const received = (await text(socket)).match(/^\/.+?(?=HTTP|$)/gm);
  expect(received).toEqual(["/held", ...numbered(20)]);
});

test("requests that arrive just after the response before them all begin", async () => {
  const { server, begun, responses, send } = await serving();
  await using _ = server;
  const socket = send("/held");
  await eventually(() => expect(responses).toHaveLength(1));
  // Between timers and immediates, the event loop reads from sockets.
  setTimeout(() => {
    socket.write(requestsFor("/held", "/next", "/last"));
    responses[0]!.end();
  });
  await eventually(() => expect(responses).toHaveLength(2));
  responses[1]!.end();
  await eventually(() => expect(begun).toEqual(["/held", "/held", "/next", "/last"]));
  socket.destroy();
});

test("requests behind one whose client has disconnected never begin, and do not hold up the stop", async () => {
  const { server, begun, responses, send } = await serving();
  const socket = send("/held", "/next");
  await eventually(() => expect(responses).toHaveLength(1));
  socket.destroy();
  await eventually(() => expect(responses[0]!.closed).toBe(true));
  await server[Symbol.asyncDispose]();
  expect(begun).toEqual(["/held"]);
});

test("a connection with too many waiting requests is closed", async () => {
  const { server, begun, send } = await serving();
  await using _ = server;
  const few = send("/held", ...numbered(100));
  await eventually(() => expect(begun).toHaveLength(1));
  const many = send("/held", ...numbered(101));
  await eventually(() => expect(many.closed).toBe(true));
  expect(few.closed).toBe(false);
  few.destroy();
});
