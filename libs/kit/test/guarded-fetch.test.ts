import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { dnsServer } from "@ci/testkit/dns-server";
import { eventually } from "@ci/testkit/eventually";
import { receiver } from "@ci/testkit/receiver";
import { guardedFetch, guardedStream } from "../src/net/guarded-fetch.js";
import { agentFor, fetchText, httpServer, limits, listen, reasonOf } from "./fetching.js";

describe("guardedFetch", () => {
  test("sends the given request and returns status, headers and body", async () => {
    await using server = await receiver({
      answer: () => ({ status: 202, headers: { "X-Answer": "yes" }, body: "thank you" }),
    });
    const response = await fetchText(agentFor(), `${server.url}/hook?a=1`, {
      ...limits,
      method: "POST",
      headers: { "X-Question": "why" },
      body: "größer",
    });
    expect(response).toMatchObject({ status: 202, truncated: false, body: "thank you" });
    expect(response.headers).toMatchObject({ "x-answer": "yes" });
    expect(response.durationNs).toBeGreaterThan(0);
    const headers = { "x-question": "why", "content-length": "8", host: server.url.slice(7) };
    expect(server.requests).toMatchObject([{ method: "POST", path: "/hook?a=1", headers }]);
    expect(String(server.requests[0]!.body)).toBe("größer");
  });

  test("joins repeated headers", async () => {
    const { url } = await httpServer((_, response) => response.setHeader("Warning", ["a", "b"]).end());
    expect((await fetchText(agentFor(), url, limits)).headers.warning).toBe("a, b");
  });

  test("returns the beginning of an endless body and closes the connection", async () => {
    const { url, open } = await httpServer((_, response) => {
      const more = () => response.write("x".repeat(997));
      response.on("drain", more);
      while (more());
    });
    const response = await fetchText(agentFor(), url, limits);
    expect(response).toMatchObject({ status: 200, truncated: true, body: "x".repeat(1_000) });
    await eventually(() => expect(open.size).toBe(0));
  });

  test.each([204, 304])("accepts a %d with a Content-Length, which has no body", async (status) => {
    const { url } = await httpServer((_, response) => response.writeHead(status, { "Content-Length": 2 }).end());
    expect(await fetchText(agentFor(), url, limits)).toMatchObject({ status, body: "" });
  });

  test("returns a body of exactly the limit whole", async () => {
    const { url } = await httpServer((_, response) => response.end("x".repeat(1_000)));
    expect(await fetchText(agentFor(), url, limits)).toMatchObject({
      truncated: false,
      body: "x".repeat(1_000),
    });
  });

  test.each(["100 Continue", "103 Early Hints"])("returns what follows %s, also as a stream", async (interim) => {
    const hints = `HTTP/1.1 ${interim}\r\nLocation: /elsewhere\r\n\r\n`;
    const server = await listen(
      createTcpServer((socket) =>
        socket.on("data", () => socket.write(`${hints.repeat(16)}HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok`)),
      ),
    );
    const url = `http://127.0.0.1:${server.port}`;
    const response = await fetchText(agentFor(), url, limits);
    expect(response).toMatchObject({ status: 201, headers: { "content-length": "2" }, body: "ok" });
    using streamed = await guardedStream(agentFor(), url, limits);
    expect(streamed).toMatchObject({ status: 201, headers: { "content-length": "2" } });
  });

  test("reuses open connections", async () => {
    let connections = 0;
    const server = await listen(
      createServer((_, response) => response.end("ok")).on("connection", () => connections++),
    );
    const agent = agentFor();
    for (let i = 0; i < 20; i++) await fetchText(agent, `http://127.0.0.1:${server.port}`, limits);
    // Some new ones are opened before a response has ended, or after seconds without a request.
    expect(connections).toBeLessThan(10);
  });
});

describe("redirects", () => {
  const redirectTo =
    (location: string, status = 302): RequestListener =>
    (_, response) => {
      response.writeHead(status, { Location: location }).end("moved");
    };

  test("are returned if no redirects are allowed", async () => {
    const { url } = await httpServer(redirectTo("http://127.0.0.2/"));
    expect(await fetchText(agentFor(), url, limits)).toMatchObject({ status: 302, body: "moved" });
  });

  test.each([301, 302, 303, 307, 308])("with status %d are followed", async (status) => {
    await using target = await receiver({ answer: () => ({ status: 200, body: "end" }) });
    const { url } = await httpServer(redirectTo(`${target.url}/there`, status));
    const response = await fetchText(agentFor(), url, { ...limits, maxRedirects: 1 });
    expect(response).toMatchObject({ status: 200, body: "end" });
    expect(target.requests).toMatchObject([{ method: "GET", path: "/there" }]);
  });

  test.each(["http://10.0.0.1/", "http://localhost:1/", "//[::1]/", "http://169.254.169.254/latest"])(
    "to %s are refused",
    async (location) => {
      const { url } = await httpServer(redirectTo(location));
      const attempt = guardedFetch(agentFor(), url, { ...limits, maxRedirects: 5 });
      // "localhost" may also mean ::1. If it does not, nothing listens at port 1.
      expect(await reasonOf(attempt)).toMatch(/^FetchFailed: (address not allowed|connection refused)$/);
    },
  );

  test.each(["file:///etc/passwd", "ftp://127.0.0.1/", "http://"])("to %s are refused", async (location) => {
    const { url } = await httpServer(redirectTo(location));
    const attempt = guardedFetch(agentFor(), url, { ...limits, maxRedirects: 5 });
    expect(await reasonOf(attempt)).toBe("FetchFailed: invalid redirect");
  });

  test("are followed up to the limit", async () => {
    const redirect: RequestListener = (request, response) => {
      const hopsLeft = Number(request.url!.slice(1));
      if (hopsLeft === 0) response.end("end");
      else redirectTo(`/${hopsLeft - 1}`)(request, response);
    };
    const { url } = await httpServer(redirect);
    const fetchAfter = (hops: number) => fetchText(agentFor(), `${url}/${hops}`, { ...limits, maxRedirects: 5 });
    expect(await fetchAfter(5)).toMatchObject({ status: 200, body: "end" });
    expect(await reasonOf(fetchAfter(6))).toBe("FetchFailed: too many redirects");
  });

  test("carry secrets only within an origin", async () => {
    await using target = await receiver();
    const { url } = await httpServer((request, response) => {
      const next = request.url === "/" ? "/next" : target.url;
      if (request.headers.authorization) redirectTo(next)(request, response);
      else response.writeHead(500).end();
    });
    const headers = { Authorization: "secret", Cookie: "secret", Accept: "text/plain" };
    const response = await fetchText(agentFor(), url, { ...limits, headers, maxRedirects: 2 });
    expect(response.status).toBe(200);
    expect(target.requests[0]!.headers).toMatchObject({ accept: "text/plain" });
    expect(JSON.stringify(target.requests[0]!.headers)).not.toContain("secret");
  });
});

describe("guardedFetch fails with", () => {
  test("timeout without a response", async () => {
    const { url, open } = await httpServer(() => {});
    expect(await reasonOf(guardedFetch(agentFor(), url, { ...limits, timeoutMs: 50 }))).toBe("FetchFailed: timeout");
    await eventually(() => expect(open.size).toBe(0));
  });

  test("timeout for a body that arrives byte by byte", async () => {
    const { url, open } = await httpServer((_, response) => {
      const drip = setInterval(() => response.write("x"), 5);
      response.on("close", () => clearInterval(drip));
    });
    const attempt = guardedFetch(agentFor(), url, { maxBodyBytes: 1_000_000, timeoutMs: 300 });
    expect(await reasonOf(attempt)).toBe("FetchFailed: timeout");
    await eventually(() => expect(open.size).toBe(0));
  });

  test("timeout while the name is looked up", async () => {
    await using names = await dnsServer({ "slow.test": "silent" });
    const earlierLookup = reasonOf(names.resolver("slow.test"));
    const agent = agentFor({ resolver: names.resolver });
    const attempt = guardedFetch(agent, "http://slow.test/", { ...limits, timeoutMs: 50 });
    expect(await Promise.race([earlierLookup, reasonOf(attempt)])).toBe("FetchFailed: timeout");
  });

  test("timeout over all redirects together", async () => {
    const { url } = await httpServer((request, response) => {
      setTimeout(() => response.writeHead(302, { Location: `${request.url}x` }).end(), 5);
    });
    const attempt = guardedFetch(agentFor(), url, { ...limits, timeoutMs: 200, maxRedirects: 1_000_000 });
    expect(await reasonOf(attempt)).toBe("FetchFailed: timeout");
  });

  test("connection refused if nothing listens", async () => {
    const server = createTcpServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    await new Promise((done) => server.close(done));
    const attempt = guardedFetch(agentFor(), `http://127.0.0.1:${port}`, limits);
    expect(await reasonOf(attempt)).toBe("FetchFailed: connection refused");
  });

  test.each<[string, string]>([
    ["connection reset", "HTTP/1.1 200 OK"],
    ["connection reset", "HTTP/1.1 200 OK\r\nConnection: close"],
    ["connection reset", "HTTP/1.0 200 OK"],
    ["invalid response", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nbad header"],
    ["invalid response", "HTTP/1.1 000 OK"],
    ["invalid response", "HTTP/1.1 101 Switching Protocols"],
    ["invalid response", "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket"],
  ])("%s if the connection ends early after %j, for a stream too", async (reason, head) => {
    const server = await listen(
      createTcpServer((socket) =>
        socket.on("error", () => {}).once("data", () => socket.end(`${head}\r\nContent-Length: 9\r\n\r\nabc`)),
      ),
    );
    const url = `http://127.0.0.1:${server.port}`;
    const read = async () => {
      using response = await guardedStream(agentFor(), url, limits);
      for await (const _ of response.body);
    };
    expect(await reasonOf(guardedFetch(agentFor(), url, limits))).toBe(`FetchFailed: ${reason}`);
    expect(await reasonOf(read())).toBe(`FetchFailed: ${reason}`);
  });

  test.each<[string, string, (socket: Socket) => unknown]>([
    ["connection reset", "before the response", (socket) => socket.once("data", () => socket.resetAndDestroy())],
    ["connection reset", "after a close without a response", (socket) => socket.once("data", () => socket.end())],
    [
      "invalid response",
      "for bytes that are not HTTP",
      (socket) => socket.once("data", () => socket.end("220 smtp ready\r\n")),
    ],
    [
      "invalid response",
      "for endless headers",
      (socket) => socket.once("data", () => socket.end(`HTTP/1.1 200 OK\r\nX: ${"x".repeat(100_000)}\r\n\r\n`)),
    ],
  ])("%s %s", async (reason, _when, behave) => {
    const server = await listen(createTcpServer((socket) => behave(socket.on("error", () => {}))));
    const attempt = guardedFetch(agentFor(), `http://127.0.0.1:${server.port}`, limits);
    expect(await reasonOf(attempt)).toBe(`FetchFailed: ${reason}`);
  });

  test("connection reset within a body, unless it has no length and the status suffices", async () => {
    const server = await listen(
      createTcpServer((socket) =>
        socket
          .on("error", () => {})
          .once("data", (request) => {
            const head = `HTTP/1.0 200 OK${String(request).includes("/sized") ? "\r\nContent-Length: 9" : ""}`;
            socket.write(`${head}\r\n\r\nthanks`, () => socket.resetAndDestroy());
          }),
      ),
    );
    const fetch = (path: string, statusSuffices: boolean) =>
      fetchText(agentFor(), `http://127.0.0.1:${server.port}/${path}`, { ...limits, statusSuffices });
    expect(await reasonOf(fetch("sized", true))).toBe("FetchFailed: connection reset");
    expect(await reasonOf(fetch("", false))).toBe("FetchFailed: connection reset");
    expect(await fetch("", true)).toMatchObject({ status: 200, body: "thanks" });
  });

  test.each([
    ["whole", guardedFetch],
    ["as a stream", guardedStream],
  ] as const)("invalid response for endless interim responses to a request that is read %s", async (_how, fetch) => {
    const hints = "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(1_000);
    const server = await listen(
      createTcpServer((socket) => {
        const more = () => {
          while (!socket.destroyed && socket.write(hints));
        };
        socket
          .on("error", () => {})
          .on("drain", more)
          .once("data", more);
      }),
    );
    const attempt = fetch(agentFor(), `http://127.0.0.1:${server.port}`, limits);
    expect(await reasonOf(attempt)).toBe("FetchFailed: invalid response");
    await eventually(() => expect(server.open.size).toBe(0));
  });

  test("name not found for a name without addresses", async () => {
    await using names = await dnsServer({ "empty.test": [[]] });
    const agent = agentFor({ resolver: names.resolver });
    for (const name of ["nowhere.test", "empty.test"])
      expect(await reasonOf(guardedFetch(agent, `http://${name}/`, limits))).toBe("FetchFailed: name not found");
  });

  test("name has too many addresses for a name with more than 64", async () => {
    await using inbox = await receiver();
    const many = (count: number) => [Array.from({ length: count }, () => "127.0.0.1")];
    await using names = await dnsServer({ "few.test": many(64), "many.test": many(65) });
    const agent = agentFor({ resolver: names.resolver });
    const fetchFrom = (name: string) => guardedFetch(agent, inbox.url.replace("127.0.0.1", name), limits);
    expect(await fetchFrom("few.test")).toMatchObject({ status: 200 });
    expect(await reasonOf(fetchFrom("many.test"))).toBe("FetchFailed: name has too many addresses");
  });

  test("invalid request for a URL that is not HTTP", async () => {
    for (const url of ["no url", "ftp://127.0.0.1/"])
      expect(await reasonOf(guardedFetch(agentFor(), url, limits))).toBe("FetchFailed: invalid request");
  });

  test("the caller's reason if the caller aborts", async () => {
    const abort = new AbortController();
    const { url, open } = await httpServer(() => abort.abort(new Error("shutting down")));
    const attempt = () => guardedFetch(agentFor(), url, { ...limits, signal: abort.signal });
    expect(await reasonOf(attempt())).toBe("Error: shutting down");
    expect(await reasonOf(attempt())).toBe("Error: shutting down");
    await eventually(() => expect(open.size).toBe(0));
  });
});
