import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { connectBus } from "@ci/kit/bus/bus";
import { outboxEvent } from "@ci/kit/mongo/document";
import { createLog } from "@ci/kit/process/log";
import { Fault } from "@ci/kit/rpc/fault";
import type { Build, WatchOutputRequest, WatchOutputResponse } from "@ci/proto/builds/v1/builds";
import { descriptionOf } from "@ci/testkit/description";
import { eventually } from "@ci/testkit/eventually";
import { suite } from "@ci/testkit/suite";
import { gatewayWith } from "./_peers.js";

const names = suite();
const build = { id: 1, userId: 1, number: 1, status: "running", tags: [], outputBytes: 0 } as unknown as Build;
const getBuild = async () => ({ build });
const piece = (text: string, offset: number): WatchOutputResponse => ({
  item: { $case: "piece", value: { text, offset } },
});
const streaming = { headers: { accept: "text/event-stream" } };

describe("failures of backing services", () => {
  test.each([
    [new Fault("unavailable", "10.0.0.7 is down"), 503, { message: "Service unavailable" }],
    [new Fault("conflict", "moved"), 503, { message: "Service unavailable" }],
    [new Fault("internal", "at /srv/secret.ts:7"), 500, { message: "Internal error" }],
    [new Error("at /srv/secret.ts:7"), 500, { message: "Internal error" }],
    [new Fault("precondition", "Not now"), 400, { message: "Not now" }],
    [new Fault("exhausted", "Too many manifests"), 429, { message: "Too many manifests" }],
    [
      new Fault("forbidden", "Token lacks permission build:read"),
      403,
      { message: "Token lacks permission build:read" },
    ],
    [new Fault("not_found", "No such build"), 404, { message: "Not Found" }],
  ])("such as %s return %d", async (failure, status, body) => {
    await using gateway = await gatewayWith(names, { builds: { getBuild: () => Promise.reject(failure) } });
    const response = await gateway.get("/b/ann/1");
    expect([response.status, response.json]).toEqual([status, body]);
    expect(response.headers["retry-after"]).toEqual(status === 503 || status === 429 ? "2" : undefined);
    expect(response.headers["x-request-id"]).toBeDefined();
  });

  test("return 429 with the reason, as the OpenAPI document says", async () => {
    const getBuild = () => Promise.reject(new Fault("exhausted", "Too many manifests"));
    await using gateway = await gatewayWith(names, { builds: { getBuild } });
    const description = descriptionOf((await gateway.get("/openapi.json")).json);
    description.check("GET", "/b/ann/1", await gateway.get("/b/ann/1"));
  });

  test("return 503 if a service is unreachable", async () => {
    await using gateway = await gatewayWith(names, {});
    const { status, json, headers } = await gateway.get("/images", { authorization: "Bearer any" });
    expect([status, json]).toEqual([403, { message: "Token lacks permission image:read" }]);
    expect((await gateway.get("/health")).status).toBe(503);
    expect(headers["retry-after"]).toBeUndefined();
  });
});

describe("tokens", () => {
  const prefix = { ...names, subjectPrefix: `${names.subjectPrefix}_tokens` };

  test("are looked up once, and again after any token is deleted", async () => {
    let lookups = 0;
    const authenticate = async () => {
      lookups++;
      const at = new Date(0);
      const user = { id: 1, username: "ann", email: "a@x", admin: true, createdAt: at };
      return { user, token: { id: 2, userId: 1, name: "t", scope: "build:read", createdAt: at } };
    };
    await using gateway = await gatewayWith(prefix, { accounts: { authenticate } });
    await using bus = await connectBus(prefix.natsUrl, prefix.subjectPrefix, "test", createLog("test", "silent"));
    await eventually(async () => {
      lookups = 0;
      for (let i = 0; i < 5; i++) expect((await gateway.get("/user")).status).toBe(200);
      expect(lookups).toBeLessThan(2);
    });
    const value = { action: "deleted", tokenId: 9, userId: 9 } as const;
    await bus.publish(outboxEvent({ kind: "tokens", at: new Date(), body: { $case: "token", value } }));
    await eventually(async () => {
      await gateway.get("/user");
      expect(lookups).toBeGreaterThan(1);
    });
  });
});

describe("streams", () => {
  test("have the same bytes if the end comes with the last piece, but in one write", async () => {
    const end = { status: "passed" } as const;
    async function* watchOutput({ ref }: WatchOutputRequest): AsyncGenerator<WatchOutputResponse> {
      if (ref!.number === 1) return yield { ...piece("last", 4), endOfPiece: end };
      yield piece("last", 4);
      yield { item: { $case: "end", value: end } };
    }
    await using gateway = await gatewayWith(names, { builds: { watchOutput } });
    async function body(number: number): Promise<string> {
      const socket = connect(gateway.port, "127.0.0.1");
      const headers = "Host: x\r\nAuthorization: Bearer x\r\nAccept: text/event-stream\r\nConnection: close";
      socket.write(`GET /b/ann/${number}/output HTTP/1.1\r\n${headers}\r\n\r\n`);
      const response = await text(socket);
      return response.slice(response.indexOf("\r\n\r\n") + 4);
    }
    const [last, ended] = ['event: output\nid: 4\ndata: "last"\n\n', 'event: end\ndata: {"status":"passed"}\n\n'];
    const chunk = (content: string) => `${content.length.toString(16)}\r\n${content}\r\n`;
    expect(await body(1)).toBe(chunk(last + ended) + chunk(""));
    expect(await body(2)).toBe(chunk(last) + chunk(ended) + chunk(""));
  });

  test("end at the service when the client disconnects", async () => {
    let ended = false;
    async function* watchOutput(_: unknown, { signal }: { signal: AbortSignal }) {
      yield piece("here", 4);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      ended = true;
    }
    await using gateway = await gatewayWith(names, { builds: { getBuild, watchOutput } });
    const response = await gateway.open("GET", "/b/ann/1/output", streaming);
    for await (const chunk of response) {
      expect(String(chunk)).toBe('event: output\nid: 4\ndata: "here"\n\n');
      break;
    }
    await eventually(() => expect(ended).toBe(true));
  });

  test("wait for slow clients", async () => {
    const pieceBytes = 64 * 1024;
    let sentBytes = 0;
    async function* watchOutput() {
      for (; sentBytes < 512 * 1024 * 1024; sentBytes += pieceBytes) yield piece("x".repeat(pieceBytes), sentBytes);
    }
    await using gateway = await gatewayWith(names, { builds: { getBuild, watchOutput } });
    const socket = connect(gateway.port, "127.0.0.1");
    socket.pause();
    socket.write(
      "GET /b/ann/1/output HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\nAccept: text/event-stream\r\n\r\n",
    );
    let before = -1;
    // The stream has stopped if the number does not change for half a second.
    const stopped = await eventually(
      () => {
        const moved = sentBytes !== before || sentBytes === 0;
        before = sentBytes;
        expect(moved).toBe(false);
        return sentBytes;
      },
      { everyMs: 500 },
    );
    expect(stopped).toBeLessThan(64 * 1024 * 1024);
    socket.destroy();
  });

  test("end between two events when the gateway stops", async () => {
    async function* watchOutput(_: unknown, { signal }: { signal: AbortSignal }) {
      yield piece("here", 4);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    }
    const gateway = await gatewayWith(names, { builds: { getBuild, watchOutput } });
    const response = await gateway.open("GET", "/b/ann/1/output", streaming);
    let received = "";
    response.setEncoding("utf8").on("data", (chunk) => {
      received += chunk;
    });
    const ended = once(response, "end");
    await eventually(() => expect(received).toContain("here"));
    await gateway[Symbol.asyncDispose]();
    await ended;
    expect(received).toBe('event: output\nid: 4\ndata: "here"\n\n');
    await expect(fetch(`${gateway.origin}/version`)).rejects.toThrow();
  });

  test("that fail before their first piece return the status of the failure", async () => {
    // biome-ignore lint/correctness/useYield: it fails before its first piece
    async function* readOutput() {
      throw new Fault("not_found", "Not Found");
    }
    const written = { ...build, outputBytes: 5 };
    const builds = { getBuild: async () => ({ build: written }), readOutput };
    await using gateway = await gatewayWith(names, { builds });
    expect(await gateway.get("/b/ann/1/output")).toMatchObject({ status: 404, json: { message: "Not Found" } });
  });
});

test("a malformed HTTP request gets 400 with JSON and a request id", async () => {
  await using gateway = await gatewayWith(names, {});
  const socket = connect(gateway.port, "127.0.0.1");
  socket.end("GET / HTTP/1.1\r\nno header\r\n\r\n");
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(answer).toMatch(/X-Request-Id: [0-9a-f-]{36}\r\n/);
  expect(answer.endsWith('{"message":"Malformed request"}')).toBe(true);
});

test("a request may have 100 headers and no more, because a proxy's might be lost", async () => {
  await using gateway = await gatewayWith(names, {});
  const statusOf = async (count: number) => {
    const socket = connect(gateway.port, "127.0.0.1");
    const others = Array.from({ length: count - 1 }, (_, nth) => `h${nth}: v\r\n`).join("");
    socket.write(`GET /version HTTP/1.1\r\n${others}Connection: close\r\n\r\n`);
    return /^HTTP\/1\.1 (\d+).*X-Request-Id/is.exec(await text(socket))?.[1];
  };
  expect(await Promise.all([100, 101, 1_500].map(statusOf))).toEqual(["200", "400", "400"]);
});

test("requests with absolute targets, `*` and unknown methods get a response", async () => {
  await using gateway = await gatewayWith(names, {});
  const statusOf = async (head: string) => {
    const socket = connect(gateway.port, "127.0.0.1");
    socket.write(`${head} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    return /^HTTP\/1\.1 (\d+)/.exec(await text(socket))?.[1];
  };
  expect(await statusOf("GET http://other.test/version")).toBe("200");
  expect(await statusOf("OPTIONS *")).toBe("404");
  expect(await statusOf("PROPFIND /version")).toBe("405");
  expect(await statusOf("GET //version")).toBe("404");
});
