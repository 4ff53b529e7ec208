import { allowedHost, blockedAddress, literalBlocked, networkOf, openedAt, parseAllow } from "./guard.js";

const none = parseAllow("");
const last = "ffff:ffff:ffff:ffff:ffff:ffff";

describe("blockedAddress", () => {
  // Each block with its first and last address, and its open neighbours.
  test.each([
    ["0/8", ["0.0.0.0", "0.255.255.255"], ["1.0.0.0"]],
    ["10/8", ["10.0.0.0", "10.255.255.255"], ["9.255.255.255", "11.0.0.0"]],
    ["100.64/10", ["100.64.0.0", "100.127.255.255"], ["100.63.255.255", "100.128.0.0"]],
    ["127/8", ["127.0.0.0", "127.255.255.255"], ["126.255.255.255", "128.0.0.0"]],
    ["169.254/16", ["169.254.0.0", "169.254.169.254", "169.254.255.255"], ["169.253.255.255", "169.255.0.0"]],
    ["172.16/12", ["172.16.0.0", "172.31.255.255"], ["172.15.255.255", "172.32.0.0"]],
    ["192.0.0/24", ["192.0.0.0", "192.0.0.255"], ["191.255.255.255", "192.0.1.0"]],
    ["192.0.2/24", ["192.0.2.0", "192.0.2.255"], ["192.0.1.255", "192.0.3.0"]],
    ["192.88.99/24", ["192.88.99.0", "192.88.99.255"], ["192.88.98.255", "192.88.100.0"]],
    ["192.168/16", ["192.168.0.0", "192.168.255.255"], ["192.167.255.255", "192.169.0.0"]],
    ["198.18/15", ["198.18.0.0", "198.19.255.255"], ["198.17.255.255", "198.20.0.0"]],
    ["198.51.100/24", ["198.51.100.0", "198.51.100.255"], ["198.51.99.255", "198.51.101.0"]],
    ["203.0.113/24", ["203.0.113.0", "203.0.113.255"], ["203.0.112.255", "203.0.114.0"]],
    ["224/4", ["224.0.0.0", "239.255.255.255"], ["223.255.255.255"]],
    ["240/4", ["240.0.0.0", "255.255.255.255"], []],
    ["below 2000::/3", ["::", "::1", `1fff:ffff:${last}`], ["2000::"]],
    ["above 2000::/3", ["4000::", `ffff:ffff:${last}`], [`3fff:ffff:${last}`]],
    ["2001::/23", ["2001::", `2001:1ff:${last}`], [`2000:ffff:${last}`, "2001:200::"]],
    ["2001:db8::/32", ["2001:db8::", `2001:db8:${last}`], [`2001:db7:${last}`, "2001:db9::"]],
    ["2002::/16", ["2002::", `2002:ffff:${last}`], [`2001:ffff:${last}`, "2003::"]],
    ["3fff::/20", ["3fff::", `3fff:fff:${last}`], [`3ffe:ffff:${last}`, "3fff:1000::"]],
    ["local", ["fc00::", `fdff:ffff:${last}`, "fe80::1", "fe80::1%eth0", "fec0::1"], []],
    ["multicast", ["ff00::", "ff02::1", "ff0e::1"], []],
    ["translated", ["64:ff9b::8.8.8.8", "64:ff9b:1::808:808", "::ffff:0:8.8.8.8", "::8.8.8.8", "::127.0.0.1"], []],
    ["mapped", ["::ffff:10.0.0.1", "::ffff:7f00:1", "0:0:0:0:0:FFFF:A9FE:A9FE"], ["::ffff:8.8.8.8", "::ffff:808:808"]],
    [
      "no address",
      ["", "10", "127.1", "0x7f.1", "0177.0.0.1", "localhost", "8.8.8.8/8", "[2003::1]"],
      ["2003::1%eth0"],
    ],
  ])("blocks %s and not its neighbours", (_block, closed, open) => {
    expect(closed.filter((ip) => !blockedAddress(ip, none))).toEqual([]);
    expect(open.filter((ip) => blockedAddress(ip, none))).toEqual([]);
  });

  test("allows the addresses of an allowed range and no others", () => {
    const allow = parseAllow("10.1.0.0/16, 127.0.0.1, fd00:1::/32, ::ffff:192.168.0.0/112");
    const open = ["10.1.0.0", "10.1.255.255", "::ffff:10.1.0.1", "127.0.0.1", "fd00:1::5", "192.168.0.7"];
    expect(open.filter((ip) => blockedAddress(ip, allow))).toEqual([]);
    const closed = ["10.0.255.255", "10.2.0.0", "127.0.0.2", "fd00:2::", "192.169.0.0/16", "::1"];
    expect(closed.filter((ip) => !blockedAddress(ip, allow))).toEqual([]);
  });

  test("allows every address of one family with a range of length 0", () => {
    expect(blockedAddress("10.0.0.1", parseAllow("0.0.0.0/0"))).toBe(false);
    expect(blockedAddress("::1", parseAllow("0.0.0.0/0"))).toBe(true);
    expect(blockedAddress("::1", parseAllow("::/0"))).toBe(false);
  });
});

describe("literalBlocked", () => {
  const blocked = (url: string, allow = none, addresses: string[] = []) =>
    literalBlocked(new URL(url), allow, addresses);

  test.each([
    ...["http://127.0.0.1", "http://127.1", "http://2130706433", "http://0x7f.0.0.1", "http://0177.0.0.1"],
    ...["http://127.0.0.1.", "http://[::1]", "http://[::ffff:127.0.0.1]", "http://[fe80::1]", "https://①②⑦.0.0.1"],
    ...["http://localhost", "http://LOCALHOST.", "http://a.b.localhost", "http://%6cocalhost:8080/x"],
    ...[
      "sftp://u:p@127.1/x",
      "sftp://u:p@0x7f000001/x",
      "sftp://u:p@LocalHost/x",
      "sftp://u:p@[::1]/x",
      "sftp://u@a%40b/",
    ],
  ])("blocks %s", (url) => expect(blocked(url)).toBe(true));

  test.each([
    ...[
      "http://8.8.8.8",
      "http://[2003::1]",
      "http://example.org",
      "http://localhost.example.org",
      "http://mylocalhost",
    ],
    ...["sftp://u:p@example.org/x", "http://metadata.internal"],
  ])("allows %s", (url) => expect(blocked(url)).toBe(false));

  test("allows local hosts and addresses that are listed", () => {
    expect(blocked("http://localhost", parseAllow("LocalHost."))).toBe(false);
    expect(blocked("http://a.localhost", parseAllow("localhost"))).toBe(true);
    expect(blocked("http://127.0.0.1", parseAllow("localhost"))).toBe(true);
    expect(blocked("http://127.0.0.1", parseAllow("127.0.0.0/8"))).toBe(false);
    expect(blocked("http://localhost", parseAllow("127.0.0.0/8"))).toBe(false);
    expect(blocked("http://localhost", parseAllow("10.0.0.0/8"))).toBe(true);
  });

  test.each([
    ["127.0.0.0/8", ["127.0.0.1"], false],
    ["127.0.0.0/8", ["127.0.0.1", "127.0.0.9"], false],
    ["127.0.0.0/8", ["127.0.0.1", "::1"], true],
    ["127.0.0.0/8, ::1", ["127.0.0.1", "::1"], false],
    ["127.0.0.0/8, ::1", ["127.0.0.1", "fe80::1%lo0"], true],
    ["127.0.0.0/8, fe80::/10", ["127.0.0.1", "fe80::1%lo0"], false],
    ["::1", ["127.0.0.1"], true],
    ["10.0.0.0/8", ["10.0.0.7"], false],
    ["10.0.0.0/8", ["10.0.0.7", "8.8.8.8"], true],
    ["127.0.0.1:80", ["127.0.0.1"], false],
    ["127.0.0.1:81", ["127.0.0.1"], true],
    ["a.localhost", ["10.0.0.7"], false],
    ["", ["8.8.8.8"], true],
  ])("with %j allowed, a localhost name with the addresses %j is blocked: %p", (allow, addresses, expected) => {
    expect(blocked("http://a.localhost", parseAllow(allow), addresses)).toBe(expected);
    expect(blocked("sftp://u:p@A.LocalHost.:80/x", parseAllow(allow), addresses)).toBe(expected);
  });

  test.each([
    [
      "127.0.0.1:41234",
      "http://127.0.0.1:41234/x",
      ["http://127.0.0.1", "http://127.0.0.1:41235", "http://127.0.0.2:41234"],
    ],
    ["127.0.0.1:41234", "http://localhost:41234", ["http://localhost", "http://[::1]:41234", "http://10.0.0.1:41234"]],
    ["10.0.0.1:443", "https://10.0.0.1", ["http://10.0.0.1", "sftp://10.0.0.1", "https://10.0.0.1:80"]],
    ["10.0.0.1:80", "http://10.0.0.1", ["https://10.0.0.1"]],
    ["10.0.0.1:22", "sftp://u:p@10.0.0.1/x", ["sftp://u:p@10.0.0.1:2222/x", "http://10.0.0.1"]],
    ["[fd00::1]:80", "http://[fd00:0::1]", ["http://[fd00::1]:8080", "http://[fd00::2]"]],
    ["[::ffff:10.0.0.1]:80", "http://10.0.0.1", ["http://10.0.0.1:81"]],
    [
      "LocalHost.:8080",
      "http://localhost:8080",
      ["http://localhost", "http://a.localhost:8080", "http://127.0.0.1:8080"],
    ],
  ])("with the endpoint %s allowed, %s is open and nothing else", (entry, open, closed) => {
    const allow = parseAllow(entry);
    expect(blocked(open, allow)).toBe(false);
    expect(closed.filter((url) => !blocked(url, allow))).toEqual([]);
  });

  test("allows endpoints that share a port, and all ports of entries without one", () => {
    const allow = parseAllow("10.0.0.1:80, 10.0.0.2:80, fd00::1, 10.1.0.0/16, inside.localhost");
    const open = [
      "10.0.0.1",
      "10.0.0.2",
      "[fd00::1]",
      "[fd00::1]:81",
      "10.1.2.3",
      "10.1.2.3:81",
      "inside.localhost:80",
    ];
    expect(open.filter((host) => blocked(`http://${host}`, allow))).toEqual([]);
    expect(blocked("http://10.0.0.1:81", allow)).toBe(true);
  });
});

describe("parseAllow", () => {
  test("normalizes host names as URLs do", () => {
    const allow = parseAllow("Git.Example.org, bücher.example,,my_host");
    for (const host of ["git.example.org", "GIT.example.org.", "xn--bcher-kva.example", "my_host"])
      expect([host, allowedHost(host, allow)]).toEqual([host, true]);
    expect(allowedHost("x.git.example.org", allow)).toBe(false);
  });

  test("allows a host with a port at that port only", () => {
    const allow = parseAllow("git.example.org:8443");
    const openAt = (port: number) => allowedHost("git.example.org", openedAt(allow, port));
    expect([8443, 443, 0].map(openAt)).toEqual([true, false, false]);
  });

  test.each([
    ...[
      "10.0.0.0/33",
      "::/129",
      "::ffff:0:0/95",
      "10.0.0.0/",
      "10.0.0.0/8/8",
      "10/8",
      "10.1",
      "1234",
      "300.1.1.1",
      "10.0.0.0/-1",
    ],
    ...["*.example.org", "http://example.org", "example.org/8", "a b", "u@example.org", "[::1]"],
    ...["example.org:0", "example.org:65536", "example.org:", ":80", "example.org:http", "a:b:80", "127.1:80"],
    ...["10.0.0.0/8:80", "[10.0.0.0/8]:80", "[::/0]:80", "[10.0.0.1]:80", "[example.org]:80", "[::1]:", "*.a.org:80"],
  ])("throws an error that quotes the bad entry %s", (entry) => {
    expect(() => parseAllow(`example.com, ${entry}`)).toThrow(`"${entry}" is neither`);
  });
});

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["::1", "0:0:0:0::/64"],
  ["", ""],
])("networkOf counts %s as %s", (ip, network) => expect(networkOf(ip)).toBe(network));
