import { createServer as createTlsServer, type ServerOptions } from "node:https";
import { createServer as createSecureServer } from "node:tls";
import { dnsServer } from "@ci/testkit/dns-server";
import { receiver } from "@ci/testkit/receiver";
import { parseAllow } from "../src/net/guard.js";
import { checkedAddresses, guardedAgent } from "../src/net/guarded-agent.js";
import { guardedFetch, guardedStream } from "../src/net/guarded-fetch.js";
import * as certificates from "./certificates.js";
import { agentFor, fetchText, home, httpServer, limits, listen, reasonOf } from "./fetching.js";

describe("the agent refuses addresses that are not allowed", () => {
  const refused = "FetchFailed: address not allowed";

  test.each(["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0x7f.1"])(
    "such as %s, without sending anything",
    async (host) => {
      await using server = await receiver();
      const url = server.url.replace("127.0.0.1", host);
      expect(await reasonOf(guardedFetch(agentFor({ allow: parseAllow("") }), url, limits))).toBe(refused);
      expect(server.requests).toEqual([]);
    },
  );

  test("except for a listed host name", async () => {
    await using server = await receiver();
    const url = server.url.replace("127.0.0.1", "localhost");
    expect(await fetchText(agentFor({ allow: parseAllow("localhost") }), url, limits)).toMatchObject({
      status: 200,
    });
    expect(await reasonOf(guardedFetch(agentFor({ allow: parseAllow("localhost") }), server.url, limits))).toBe(
      refused,
    );
  });

  test("except for a listed port of a host", async () => {
    await using listed = await receiver();
    await using other = await receiver();
    await using names = await dnsServer({ "good.test": [["127.0.0.1"]] });
    const byName = (url: string) => url.replace("127.0.0.1", "good.test");
    const agentAllowing = (allow: string) => agentFor({ allow: parseAllow(allow), resolver: names.resolver });
    for (const agent of [agentAllowing(new URL(listed.url).host), agentAllowing(new URL(byName(listed.url)).host)]) {
      expect(await guardedFetch(agent, byName(listed.url), limits)).toMatchObject({ status: 200 });
      expect(await reasonOf(guardedFetch(agent, byName(other.url), limits))).toBe(refused);
      expect(await reasonOf(guardedFetch(agent, other.url, limits))).toBe(refused);
    }
    expect(await guardedFetch(agentAllowing(new URL(listed.url).host), listed.url, limits)).toMatchObject({
      status: 200,
    });
    expect([listed.requests.length, other.requests.length]).toEqual([3, 0]);
  });

  test("if only one of a name's addresses is not allowed", async () => {
    await using server = await receiver();
    await using names = await dnsServer({ "mixed.test": [["127.0.0.1", "10.0.0.1"]], "good.test": [["127.0.0.1"]] });
    const agent = agentFor({ resolver: names.resolver });
    const fetchFrom = (name: string) => guardedFetch(agent, server.url.replace("127.0.0.1", name), limits);
    expect(await reasonOf(fetchFrom("mixed.test"))).toBe(refused);
    expect(await fetchFrom("good.test")).toMatchObject({ status: 200 });
    expect(server.requests).toHaveLength(1);
  });

  test("and resolves a name once per connection, so a second answer cannot lead elsewhere", async () => {
    const { port } = await httpServer((_, response) => response.setHeader("Connection", "close").end());
    await using names = await dnsServer({ "turning.test": [["127.0.0.1"], ["10.0.0.1"]] });
    const agent = agentFor({ resolver: names.resolver });
    const url = `http://turning.test:${port}`;
    expect(await fetchText(agent, url, limits)).toMatchObject({ status: 200 });
    expect(names.queries).toEqual(["turning.test"]);
    expect(await reasonOf(guardedFetch(agent, url, limits))).toBe(refused);
    expect(names.queries).toEqual(["turning.test", "turning.test"]);
  });

  test("as checkedAddresses does for other protocols", async () => {
    await using names = await dnsServer({ "inside.test": [["192.168.0.1"]], "two.test": [["8.8.8.8", "9.9.9.9"]] });
    const guard = { allow: home, resolver: names.resolver };
    expect(await reasonOf(checkedAddresses("inside.test", 22, guard))).toBe(refused);
    for (const host of ["169.254.169.254", "[::1]", "::ffff:10.0.0.1"])
      expect(await reasonOf(checkedAddresses(host, 22, guard))).toBe(refused);
    expect(await reasonOf(checkedAddresses("nowhere.test", 22, guard))).toBe("FetchFailed: name not found");
    expect(await checkedAddresses("two.test", 22, guard)).toEqual([
      { address: "8.8.8.8", family: 4 },
      { address: "9.9.9.9", family: 4 },
    ]);
    expect(await checkedAddresses("inside.test", 22, { ...guard, allow: parseAllow("Inside.test") })).toHaveLength(1);
    const onePort = { ...guard, allow: parseAllow("192.168.0.1:2222") };
    expect(await checkedAddresses("inside.test", 2222, onePort)).toHaveLength(1);
    expect(await reasonOf(checkedAddresses("inside.test", 22, onePort))).toBe(refused);
  });
});

describe("TLS", () => {
  const serveWith = (options: ServerOptions) =>
    listen(createTlsServer(options, (_, response) => response.end("private")));
  const serve = (cert: string) => serveWith({ cert, key: certificates.key });
  const zone = { "receiver.test": [["127.0.0.1"]], "other.test": [["127.0.0.1"]] };
  const invalid = (why: string) => `FetchFailed: TLS certificate invalid (${why})`;

  test.each([
    ["receiver.test", certificates.good, "no failure"],
    ["receiver.test", certificates.expired, invalid("expired")],
    ["receiver.test", certificates.early, invalid("not yet valid")],
    ["receiver.test", certificates.selfSigned, invalid("self-signed")],
    ["other.test", certificates.good, invalid("wrong host name")],
    ["127.0.0.1", certificates.good, invalid("wrong host name")],
  ])("a certificate presented by %s is accepted or rejected with the reason (%#)", async (host, cert, outcome) => {
    const { port } = await serve(cert);
    await using names = await dnsServer(zone);
    const agent = agentFor({ resolver: names.resolver, extraCa: certificates.authority });
    expect(await reasonOf(guardedFetch(agent, `https://${host}:${port}`, limits))).toBe(outcome);
  });

  test("a certificate of an authority that is not configured is rejected as of an unknown issuer", async () => {
    const { port } = await serve(certificates.good);
    await using names = await dnsServer(zone);
    const attempt = guardedFetch(agentFor({ resolver: names.resolver }), `https://receiver.test:${port}`, limits);
    expect(await reasonOf(attempt)).toBe(invalid("unknown issuer"));
  });

  test.each<[string, ServerOptions]>([
    ["1.2", { ciphers: "DHE-RSA-AES128-GCM-SHA256", dhparam: "auto", maxVersion: "TLSv1.2" }],
    ["1.3", { ecdhCurve: "ffdhe2048", minVersion: "TLSv1.3" }],
  ])("a server that offers only finite-field key exchange with TLS %s fails the handshake", async (_, options) => {
    const { port } = await serveWith({ ...certificates.rsa, ...options });
    await using names = await dnsServer(zone);
    const agent = agentFor({ resolver: names.resolver, extraCa: certificates.rsa.cert });
    const attempt = guardedFetch(agent, `https://receiver.test:${port}`, limits);
    expect(await reasonOf(attempt)).toBe("FetchFailed: TLS handshake failed");
  });

  test("a server without TLS fails the handshake", async () => {
    const { port } = await httpServer((_, response) => response.end());
    const attempt = guardedFetch(agentFor(), `https://127.0.0.1:${port}`, limits);
    expect(await reasonOf(attempt)).toBe("FetchFailed: TLS handshake failed");
  });

  test.each([
    [40, "no failure"],
    [60, "FetchFailed: TLS handshake too long"],
  ])("%d further certificates of a server: %s", async (count, outcome) => {
    const { port } = await serve([certificates.good, ...Array(count).fill(certificates.authority)].join("\n"));
    await using names = await dnsServer(zone);
    const agent = agentFor({ resolver: names.resolver, extraCa: certificates.authority });
    expect(await reasonOf(guardedFetch(agent, `https://receiver.test:${port}`, limits))).toBe(outcome);
  });

  test("a server cannot repeat the handshake", async () => {
    const refusals: string[] = [];
    const server = await listen(
      createSecureServer({ ...certificates.rsa, maxVersion: "TLSv1.2" }, (socket) => {
        const refused = (error: Error | null) => {
          refusals.push(String(error));
          socket.destroy();
        };
        socket.on("error", refused).once("data", () => socket.renegotiate({}, refused));
      }),
    );
    await using names = await dnsServer(zone);
    const agent = agentFor({ resolver: names.resolver, extraCa: certificates.rsa.cert });
    const attempt = guardedFetch(agent, `https://receiver.test:${server.port}`, limits);
    expect(await reasonOf(attempt)).toBe("FetchFailed: connection reset");
    expect(refusals[0]).toContain("no renegotiation");
  });

  test("a slow reader gets the whole body of a server that closes the connection after it", async () => {
    const body = Buffer.alloc(1024 ** 2, "x");
    const answer = { cert: certificates.good, key: certificates.key };
    const { port } = await listen(
      createTlsServer(answer, (_, response) => response.setHeader("Connection", "close").end(body)),
    );
    await using names = await dnsServer(zone);
    const agent = agentFor({ resolver: names.resolver, extraCa: certificates.authority });
    using response = await guardedStream(agent, `https://receiver.test:${port}`, limits);
    let bytes = 0;
    for await (const chunk of response.body) {
      bytes += chunk.length;
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    }
    expect(bytes).toBe(body.length);
  });

  test("guardedAgent throws for an extra certificate that is not PEM", () => {
    expect(() => guardedAgent({ allow: home, extraCa: "no certificate" })).toThrow("not PEM");
  });
});
