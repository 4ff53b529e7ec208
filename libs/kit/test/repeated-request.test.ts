import { createServer as createTcpServer } from "node:net";
import { guardedFetch } from "../src/net/guarded-fetch.js";
import { agentFor, limits, listen, reasonOf } from "./fetching.js";

const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/** Starts a server that answers some requests on each connection and breaks off at the next one. */
async function breakingServer(
  answersOf: (connection: number) => number,
  breakOff: "reset" | "end" | "hint and reset" = "reset",
) {
  const counts = { connections: 0, requests: 0 };
  const server = await listen(
    createTcpServer((socket) => {
      let left = answersOf(++counts.connections);
      socket
        .on("error", () => {})
        .on("data", () => {
          counts.requests++;
          if (left-- > 0) return socket.write(ok);
          if (breakOff === "end") return socket.end();
          if (breakOff === "reset") return socket.resetAndDestroy();
          return socket.write("HTTP/1.1 103 Early Hints\r\n\r\n", () => socket.end());
        });
    }),
  );
  return { url: `http://127.0.0.1:${server.port}`, counts };
}

const statuses = async (url: string, options: Partial<Parameters<typeof guardedFetch>[2]>) => {
  const agent = agentFor();
  const results: unknown[] = [];
  for (let nth = 0; nth < 6; nth++) {
    const attempt = guardedFetch(agent, url, { ...limits, ...options });
    results.push(await attempt.then(({ status }) => status).catch(() => reasonOf(attempt)));
  }
  return results;
};

const reset = "FetchFailed: connection reset";

describe("a request on a reused connection that the server breaks off", () => {
  const post = { method: "POST", body: "{}" } as const;

  test.each(["reset", "end"] as const)("is sent again on another one if it may be repeated (%s)", async (how) => {
    const { url, counts } = await breakingServer(() => 1, how);
    expect(await statuses(url, { ...post, mayRepeat: true })).toEqual([200, 200, 200, 200, 200, 200]);
    expect(counts.connections).toBe(6);
  });

  test("is not sent again without permission, nor after an interim response", async () => {
    const { url } = await breakingServer(() => 1);
    expect(await statuses(url, post)).toContain(reset);
    const hinting = await breakingServer(() => 1, "hint and reset");
    expect(await statuses(hinting.url, { ...post, mayRepeat: true })).toContain(reset);
  });
});

test("a request on a connection that replaces an answered one is sent once", async () => {
  const { url, counts } = await breakingServer((connection) => (connection === 1 ? 1 : 0));
  const results = await statuses(url, { method: "POST", body: "{}", mayRepeat: true });
  expect(results).toEqual([200, ...Array.from({ length: 5 }, () => reset)]);
  expect(counts.requests).toBeLessThanOrEqual(7);
});

test("a request on a new connection is sent once", async () => {
  const { url, counts } = await breakingServer(() => 0);
  const results = await statuses(url, { method: "POST", body: "{}", mayRepeat: true });
  expect(results).toEqual(Array.from({ length: 6 }, () => reset));
  expect(counts).toEqual({ connections: 6, requests: 6 });
});
