import { createServer as createTlsServer } from "node:https";
import { dnsServer } from "@ci/testkit/dns-server";
import { receiver } from "@ci/testkit/receiver";
import { parseAllow } from "../src/net/guard.js";
import { checkedAddresses, guardedAgent } from "../src/net/guarded-agent.js";
import { guardedFetch } from "../src/net/guarded-fetch.js";
import * as certificates from "./certificates.js";
import { agentFor, fetchText, home, httpServer, limits, listen, reasonOf } from "./fetching.js";

describe("address not allowed", () => {
  const refused = "FetchFailed: address not allowed";

  test.each(["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0x7f.1"])(
    "%s, and nothing is sent",
    async (host) => {
      await using server = await receiver();
      const url = server.url.replace("127.0.0.1", host);
      expect(await reasonOf(guardedFetch(agentFor({ allow: parseAllow("") }), url, limits))).toBe(refused);
      expect(server.requests).toEqual([]);
    },
  );

  test("unless the host's name is listed", async () => {
    await using server = await receiver();
    const url = server.url.replace("127.0.0.1", "localhost");
    expect(await fetchText(agentFor({ allow: parseAllow("localhost") }), url, limits)).toMatchObject({
      status: 200,
    });
    expect(await reasonOf(guardedFetch(agentFor({ allow: parseAllow("localhost") }), server.url, limits))).toBe(
      refused,
    );
  });

  test("unless this one port of it is listed", async () => {
    await using listed = await receiver();
    await using other = await receiver();
    await using names = await dnsServer({ "good.test": [["127.0.0.1"]] });
    const named = (url: string) => url.replace("127.0.0.1", "good.test");
    const from = (allow: string) => agentFor({ allow: parseAllow(allow), resolver: names.resolver });
    for (const agent of [from(new URL(listed.url).host), from(new URL(named(listed.url)).host)]) {
      expect(await guardedFetch(agent, named(listed.url), limits)).toMatchObject({ status: 200 });
      expect(await reasonOf(guardedFetch(agent, named(other.url), limits))).toBe(refused);
      expect(await reasonOf(guardedFetch(agent, other.url, limits))).toBe(refused);
    }
    expect(await guardedFetch(from(new URL(listed.url).host), listed.url, limits)).toMatchObject({ status: 200 });
    expect([listed.requests.length, other.requests.length]).toEqual([3, 0]);
  });

  test("when only one of a name's addresses is refused", async () => {
    await using server = await receiver();
    await using names = await dnsServer({ "mixed.test": [["127.0.0.1", "10.0.0.1"]], "good.test": [["127.0.0.1"]] });
    const agent = agentFor({ resolver: names.resolver });
    const at = (name: string) => guardedFetch(agent, server.url.replace("127.0.0.1", name), limits);
    expect(await reasonOf(at("mixed.test"))).toBe(refused);
    expect(await at("good.test")).toMatchObject({ status: 200 });
    expect(server.requests).toHaveLength(1);
  });

  test("a name is resolved once per connection, so a second answer cannot lead elsewhere", async () => {
    const { port } = await httpServer((_, response) => response.setHeader("Connection", "close").end());
    await using names = await dnsServer({ "turning.test": [["127.0.0.1"], ["10.0.0.1"]] });
    const agent = agentFor({ resolver: names.resolver });
    const url = `http://turning.test:${port}`;
    expect(await fetchText(agent, url, limits)).toMatchObject({ status: 200 });
    expect(names.asked).toEqual(["turning.test"]);
    expect(await reasonOf(guardedFetch(agent, url, limits))).toBe(refused);
    expect(names.asked).toEqual(["turning.test", "turning.test"]);
  });

  test("for other protocols by checkedAddresses", async () => {
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
    const one = { ...guard, allow: parseAllow("192.168.0.1:2222") };
    expect(await checkedAddresses("inside.test", 2222, one)).toHaveLength(1);
    expect(await reasonOf(checkedAddresses("inside.test", 22, one))).toBe(refused);
  });
});

describe("TLS", () => {
  const serve = async (cert: string) =>
    listen(createTlsServer({ cert, key: certificates.key }, (_, response) => response.end("private")));
  const zone = { "receiver.test": [["127.0.0.1"]], "other.test": [["127.0.0.1"]] };
  const invalid = (why: string) => `FetchFailed: TLS certificate invalid (${why})`;

  test.each([
    ["receiver.test", certificates.good, "no failure"],
    ["receiver.test", certificates.expired, invalid("expired")],
    ["receiver.test", certificates.early, invalid("not yet valid")],
    ["receiver.test", certificates.selfSigned, invalid("self-signed")],
    ["other.test", certificates.good, invalid("wrong host name")],
    ["127.0.0.1", certificates.good, invalid("wrong host name")],
  ])("a certificate shown by %s (%#)", async (host, cert, outcome) => {
    const { port } = await serve(cert);
    await using names = await dnsServer(zone);
    const agent = agentFor({ resolver: names.resolver, extraCa: certificates.authority });
    expect(await reasonOf(guardedFetch(agent, `https://${host}:${port}`, limits))).toBe(outcome);
  });

  test("an authority is unknown unless it is configured", async () => {
    const { port } = await serve(certificates.good);
    await using names = await dnsServer(zone);
    const attempt = guardedFetch(agentFor({ resolver: names.resolver }), `https://receiver.test:${port}`, limits);
    expect(await reasonOf(attempt)).toBe(invalid("unknown issuer"));
  });

  test("a server without TLS", async () => {
    const { port } = await httpServer((_, response) => response.end());
    const attempt = guardedFetch(agentFor(), `https://127.0.0.1:${port}`, limits);
    expect(await reasonOf(attempt)).toBe("FetchFailed: TLS handshake failed");
  });

  test("an unreadable extra certificate is refused at the start", () => {
    expect(() => guardedAgent({ allow: home, extraCa: "no certificate" })).toThrow("not PEM");
  });
});
