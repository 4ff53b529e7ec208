import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fullNames, parsedFile, parseHosts, parseSearch } from "./system-files.js";

test("a hosts file gives each name all its addresses", () => {
  const text =
    "# local\n127.0.0.1\tlocalhost Host.corp. host\n::1 localhost localhost # six\n\nnonsense name\n10.0.0.1";
  expect(Object.fromEntries(parseHosts(text))).toEqual({
    localhost: [
      { address: "127.0.0.1", family: 4 },
      { address: "::1", family: 6 },
    ],
    "host.corp": [{ address: "127.0.0.1", family: 4 }],
    host: [{ address: "127.0.0.1", family: 4 }],
  });
});

test.each([
  ["", { domains: ["corp.test"], dots: 1 }],
  ["nameserver 10.0.0.1\nsearch .\n", { domains: [], dots: 1 }],
  ["search a.test b.test.\noptions edns0 ndots:5 timeout:1", { domains: ["a.test", "b.test"], dots: 5 }],
  ["search a.test b.test\ndomain C.test d.test", { domains: ["c.test"], dots: 1 }],
  ["# search a.test\n; search b.test\noptions ndots:x\noptions ndots:0", { domains: ["corp.test"], dots: 0 }],
])("resolv.conf %j completes names by %j", (text, search) =>
  expect(parseSearch(text, "ci1.corp.test")).toEqual(search),
);

test("a host without a domain completes no name", () => expect(parseSearch("", "ci1").domains).toEqual([]));

const domains = ["ns.svc.cluster.local", "svc.cluster.local"];
test.each([
  ["receiver", 1, ["receiver.ns.svc.cluster.local", "receiver.svc.cluster.local", "receiver"]],
  ["receiver", 0, ["receiver", "receiver.ns.svc.cluster.local", "receiver.svc.cluster.local"]],
  ["receiver.ns", 1, ["receiver.ns", "receiver.ns.ns.svc.cluster.local", "receiver.ns.svc.cluster.local"]],
  ["receiver.ns", 5, ["receiver.ns.ns.svc.cluster.local", "receiver.ns.svc.cluster.local", "receiver.ns"]],
  ["receiver.", 5, ["receiver."]],
])("%s with ndots:%d stands for %j", (name, dots, names) => expect(fullNames(name, { domains, dots })).toEqual(names));

test("a file is read again after a change, and counts as empty while it is away", () => {
  const folder = mkdtempSync(join(tmpdir(), "files-"));
  const [path, next] = [join(folder, "hosts"), join(folder, "next")];
  const read = parsedFile(path, (text) => text);
  try {
    expect(read()).toBe("");
    writeFileSync(path, "first");
    expect(read()).toBe("first");
    writeFileSync(next, "other");
    renameSync(next, path);
    expect(read()).toBe("other");
    rmSync(path);
    expect(read()).toBe("");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
