import { execFileSync } from "node:child_process";
import { closeSync, constants, promises as fs, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DnsServer, dnsServer, type Zone } from "@ci/testkit/dns-server";
import { eventually } from "@ci/testkit/eventually";
import { receiver } from "@ci/testkit/receiver";
import { parseAllow } from "../src/net/guard.js";
import { guardedFetch } from "../src/net/guarded-fetch.js";
import { parseResolver, type Resolver, systemResolver } from "../src/net/resolver.js";
import { agentFor, limits, reasonOf } from "./fetching.js";

const folder = mkdtempSync(join(tmpdir(), "resolver-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns a resolver of a system with these files and name servers. */
function systemWith({ hosts = "", search = "", forMs = 600_000 }, ...servers: readonly DnsServer[]) {
  const files = { hosts: join(folder, "hosts"), search: join(folder, "resolv.conf") };
  writeFileSync(files.hosts, hosts);
  writeFileSync(files.search, search);
  return systemResolver({ servers: servers.map(({ address }) => address), firstMs: 600_000, forMs }, files);
}

const addressesOf = async (answer: Promise<{ address: string }[]>) => (await answer).map(({ address }) => address);

describe("names that are never answered", () => {
  const dead = Array.from({ length: 100 }, (_, nth) => `dead-${nth}.test`);
  const zone: Zone = Object.fromEntries(dead.map((name) => [name, "silent"]));

  test("delay no request to another name", async () => {
    await using inbox = await receiver();
    await using names = await dnsServer({ ...zone, "alive.test": [["127.0.0.1"]] });
    const agent = agentFor({ resolver: systemWith({}, names) });
    const ended: string[] = [];
    for (const name of dead) void reasonOf(guardedFetch(agent, `http://${name}/`, limits)).then(() => ended.push(name));
    await eventually(() => expect(new Set(names.queries).size).toBe(dead.length));
    expect(await guardedFetch(agent, inbox.url.replace("127.0.0.1", "alive.test"), limits)).toMatchObject({
      status: 200,
    });
    expect(ended).toEqual([]);
  });

  test("fail when their time is over, without a try at another name", async () => {
    await using names = await dnsServer({ "dead.one.test": "silent", dead: "silent" });
    const resolver = systemWith({ search: "search one.test", forMs: 1 }, names);
    expect(await reasonOf(resolver("dead"))).toBe("FetchFailed: name lookup failed");
    expect(names.queries).not.toContain("dead");
  });
});

test("names are looked up while other work holds all of the process's threads", async () => {
  const pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  // Opening a pipe waits for its other end.
  const held = Array.from({ length: 64 }, () => fs.open(pipe));
  try {
    await using inbox = await receiver();
    await using names = await dnsServer({ "alive.test": [["127.0.0.1"]] });
    const allow = parseAllow("localhost, alive.test");
    const { port } = new URL(inbox.url);
    const fetchFrom = (host: string, resolver: Resolver) =>
      guardedFetch(agentFor({ allow, resolver }), `http://${host}:${port}`, limits);
    expect(await fetchFrom("localhost", systemWith({}))).toMatchObject({ status: 200 });
    expect(await fetchFrom("alive.test", systemWith({}, names))).toMatchObject({ status: 200 });
  } finally {
    const other = openSync(pipe, constants.O_RDWR);
    for (const file of await Promise.all(held)) await file.close();
    closeSync(other);
  }
});

describe("the system's resolver", () => {
  test("prefers the hosts file and notices its changes", async () => {
    await using names = await dnsServer({ "here.test": [["10.0.0.1"]] });
    const resolver = systemWith({ hosts: "10.0.0.2 here.test\n::1 here.test" }, names);
    expect(await addressesOf(resolver("Here.test."))).toEqual(["10.0.0.2", "::1"]);
    expect(names.queries).toEqual([]);
    writeFileSync(join(folder, "hosts"), "10.0.0.2 elsewhere.test");
    expect(await addressesOf(resolver("here.test"))).toEqual(["10.0.0.1"]);
  });

  test("asks nobody for localhost", async () => {
    await using names = await dnsServer({});
    expect(await addressesOf(systemWith({}, names)("App.localhost."))).toEqual(["127.0.0.1"]);
    expect(names.queries).toEqual([]);
  });

  test("completes short names with the domains of resolv.conf, in its order", async () => {
    await using names = await dnsServer({ "receiver.ns.cluster.test": [["10.0.0.1"]], "far.test": [["10.0.0.2"]] });
    const search = "search a.cluster.test cluster.test\noptions ndots:2";
    const resolver = systemWith({ search }, names);
    expect(await addressesOf(resolver("receiver.ns"))).toEqual(["10.0.0.1"]);
    expect(names.queries).toEqual(["receiver.ns.a.cluster.test", "receiver.ns.cluster.test"]);
    expect(await addressesOf(resolver("far.test."))).toEqual(["10.0.0.2"]);
    expect(names.queries.slice(2)).toEqual(["far.test"]);
  });

  test("tries the other names if one is refused, and then says that the lookup failed", async () => {
    await using names = await dnsServer({
      "a.one.test": "refused",
      "b.one.test": "refused",
      "b.two.test": [["10.0.0.1"]],
    });
    const resolver = systemWith({ search: "search one.test two.test" }, names);
    expect(await addressesOf(resolver("b"))).toEqual(["10.0.0.1"]);
    expect(await reasonOf(resolver("a"))).toBe("FetchFailed: name lookup failed");
    expect(await reasonOf(resolver("c"))).toBe("FetchFailed: name not found");
    expect(await reasonOf(resolver(`${"x".repeat(64)}.test`))).toBe("FetchFailed: name not found");
  });

  test("waits as long for a name as if others had not been answered at once", async () => {
    const quick = Array.from({ length: 3 }, (_, nth) => `${nth}.test`);
    await using names = await dnsServer({ "slow.test": "silent" });
    const resolver = systemWith({ search: `search ${quick.join(" ")}\noptions ndots:5`, forMs: 3_000 }, names);
    expect(await reasonOf(resolver("slow.test"))).toBe("FetchFailed: name lookup failed");
    // A client that has lost its patience asks again, and gives up.
    expect(names.queries).toEqual([...quick.map((domain) => `slow.test.${domain}`), "slow.test"]);
  });

  test("asks the next name server if one refuses, for each name", async () => {
    await using first = await dnsServer({
      "a.one.test": "refused",
      "b.one.test": "refused",
      "b.two.test": [["10.0.0.2"]],
    });
    await using second = await dnsServer({ "a.one.test": [["10.0.0.1"]] });
    const resolver = systemWith({ search: "search one.test two.test" }, first, second);
    expect(await addressesOf(resolver("a"))).toEqual(["10.0.0.1"]);
    expect(await addressesOf(resolver("b"))).toEqual(["10.0.0.2"]);
    expect(second.queries).toEqual(["a.one.test", "b.one.test"]);
  });
});

test("configured name servers alone count, without files", async () => {
  await using names = await dnsServer({ "receiver.test": [["10.0.0.1"]] });
  const resolver = parseResolver(names.address);
  expect(await addressesOf(resolver("receiver.test"))).toEqual(["10.0.0.1"]);
  expect(await reasonOf(resolver("localhost"))).toBe("FetchFailed: name not found");
  expect(names.queries).toEqual(["receiver.test", "localhost"]);
});
