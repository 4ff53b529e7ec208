import { readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Fault } from "@ci/kit/rpc/fault";
import type { AssignedCache, Assignment } from "@ci/proto/builds/v1/queue";
import { eventually } from "@ci/testkit/eventually";
import { anAssignment, newId } from "./_assignment.js";
import { bootRunner, inMoreTime } from "./_suite.js";

const runner = bootRunner();
const copies = () => join(runner.config.dir, encodeURIComponent(runner.config.name), "caches");

let count = 0;
const aCache = (more: Partial<AssignedCache> = {}): AssignedCache => ({
  ...{ name: `cache-${count++}`, key: [], paths: ["kept", "~/.home"] },
  ...more,
});

const run = (cache: AssignedCache, commands: readonly string[], more: Partial<Assignment> = {}) =>
  runner.run(anAssignment({ caches: [cache], ...more }, commands));

/** Returns an object that is placed under this name. */
function objectAt(name: string, text: string) {
  const objectId = newId();
  runner.queue.objects.set(objectId, text);
  return { id: count++, source: "given", name, objectId };
}

const make = ["mkdir -p kept .home && echo one > kept/file && echo two > .home/file", "ln -s file kept/link"];
const show = ["cat kept/link .home/file"];
const storedOf = (name: string) => runner.queue.caches.filter(({ header }) => header.name === name);

test("what a build keeps is there in the next one", async () => {
  const cache = aCache();
  const first = await run(cache, make);
  expect(first.text).toContain(`Cache ${cache.name}: miss\n`);
  expect(first.text).toMatch(/stored 5 files, [\d.]+ KiB, \d+ bytes compressed, in [\d.]+ s\n/);
  const second = await run(cache, show);
  expect(second.final).toBe("passed");
  expect(second.text).toMatch(/: hit: [\d.]+ KiB in [\d.]+ s, from this runner's copy\n/);
  expect(second.text).toContain("one\ntwo\n");
  expect(storedOf(cache.name)).toHaveLength(1);
});

test("fetches an entry of which the runner has no copy", async () => {
  const cache = aCache();
  await run(cache, make);
  const [stored] = storedOf(cache.name);
  await rm(join(copies(), `${stored!.header.sha256}.tar`));
  const { text, final } = await run(cache, show);
  expect(final).toBe("passed");
  expect(text).toMatch(/hit: .* fetched\n/);
});

test("a cache that stalls leaves its time to the jobs for failures", async () => {
  const cache = aCache();
  await run(cache, make);
  const [stored] = storedOf(cache.name);
  await rm(join(copies(), `${stored!.header.sha256}.tar`));
  const stalled = new AbortController();
  runner.queue.cacheStall = stalled.signal;
  const reads = () => runner.queue.calls.filter((call) => call === "readCache").length;
  const before = reads();
  try {
    const build = await inMoreTime(
      (buildTimeoutMs) => {
        const assignment = anAssignment({ caches: [cache], buildTimeoutMs }, ["true"], ["echo never"], ["echo clean"]);
        const [prepare, clone, never, clean] = assignment.jobs;
        const onFailure = { skipAfterSuccess: true, runAfterFailure: true };
        const source = { url: "x", ref: "", directory: "x" };
        return runner.run({
          ...assignment,
          jobs: [prepare!, { ...clone!, source }, never!, { ...clean!, ...onFailure }],
        });
      },
      () => reads() > before,
    );
    expect(build.outcomes).toEqual(["passed", "timed_out", "passed"]);
    expect(build.text).toMatch(/^\+ true\nBuild timed out after .*\n\+ echo clean\nclean\n$/);
  } finally {
    stalled.abort();
  }
});

test("only the runner can read its copies", async () => {
  await run(aCache(), make);
  expect((await stat(copies())).mode & 0o777).toBe(0o700);
  for (const name of await readdir(copies())) expect((await stat(join(copies(), name))).mode & 0o777).toBe(0o600);
});

test("gives a build back whose environment got a damaged copy, and drops the copy", async () => {
  const cache = aCache();
  await run(cache, [...make, "echo three > kept/three"]);
  const [stored] = storedOf(cache.name);
  const copy = join(copies(), `${stored!.header.sha256}.tar`);
  await writeFile(copy, Buffer.alloc(10_240));
  const build = runner.submit(anAssignment({ caches: [cache] }, show));
  await eventually(() => expect(build.returned).toBe(true));
  expect([build.returned, build.final]).toEqual([true, undefined]);
  expect((await run(cache, show)).final).toBe("passed");
});

test("with other key files, places the newest entry and stores another", async () => {
  const cache = aCache({ key: ["lock"] });
  const withLock = (text: string) => ({
    objects: [objectAt("lock", text)],
  });
  await run(cache, make, withLock("a"));
  const other = await run(cache, show, withLock("b"));
  expect(other.text).toMatch(/no entry for this key, placed the newest one: .*\n/);
  expect(storedOf(cache.name)).toHaveLength(2);
  expect((await run(cache, show, withLock("b"))).text).toMatch(/: hit: /);
  expect(storedOf(cache.name)).toHaveLength(2);
});

test("the output says that no file matches the key", async () => {
  const cache = aCache({ key: ["app.lock", "**/*.lock"] });
  const note = `Cache ${cache.name}: no file matches its key, app.lock, **/*.lock\n`;
  expect((await run(cache, make)).text).toContain(`${note}Cache ${cache.name}: miss\n`);
  const found = await run(cache, show, { objects: [objectAt("app/other.lock", "a")] });
  expect(found.text).not.toContain("no file matches");
});

test("other key files below ~/ that a glob matches make another key", async () => {
  const cache = aCache({ key: ["~/locks/*.lock"] });
  const withLock = (text: string) => ({ objects: [objectAt("locks/a.lock", text)] });
  await run(cache, make, withLock("a"));
  const other = await run(cache, show, withLock("b"));
  expect(other.text).toContain("no entry for this key, placed the newest one");
  expect((await run(cache, show, withLock("a"))).text).toMatch(/: hit: /);
});

test("an object below a cached path is that of the build, and in no entry", async () => {
  const cache = aCache();
  const withObject = (text: string) =>
    run(cache, ["cat kept/given kept/file"], { objects: [objectAt("kept/given", text)] });
  await run(cache, [...make, "echo old > kept/given"]);
  const ofFork = { objects: [{ ...objectAt("kept/given", ""), objectId: undefined }], cacheReadOnly: true };
  expect((await run(cache, ["ls kept"], ofFork)).text).toContain("+ ls kept\nfile\nlink\n");
  const first = await withObject("first\n");
  expect(first.text).toContain("no entry for this key, placed the newest one");
  expect(first.text).toContain("+ cat kept/given kept/file\nfirst\none\n");
  expect(first.text).toContain("left out 1 files that the build places\n");
  const second = await withObject("second\n");
  expect(second.text).toContain(": hit: ");
  expect(second.text).toContain("+ cat kept/given kept/file\nsecond\none\n");
  expect(storedOf(cache.name)).toHaveLength(2);
});

test("an entry of a service that knows no formats is a miss", async () => {
  const cache = aCache();
  await run(cache, make);
  runner.queue.isOlder = true;
  const { text } = await run(cache, ["ls -A"]);
  runner.queue.isOlder = false;
  expect(text).toContain(`Cache ${cache.name}: miss\n`);
});

test("an object is not replaced by an entry that had other paths", async () => {
  const cache = aCache({ paths: ["kept", "settings"] });
  await run(cache, [...make, "echo old > settings"]);
  const objects = [objectAt("settings", "of this build\n")];
  const { text } = await run({ ...cache, paths: ["kept"] }, ["cat settings kept/file"], { objects });
  expect(text).toContain("+ cat settings kept/file\nof this build\none\n");
});

test("a key below a cached path is that of the build, and in no entry", async () => {
  const cache = aCache({ paths: [".ssh"] });
  const keys = [{ name: "id", privateKey: "old key\n", config: "" }];
  await run(cache, ["touch .ssh/known"], { keys });
  const { text } = await run(cache, ["ls -A .ssh"]);
  expect(text).toContain("+ ls -A .ssh\nknown\n");
});

test.each([
  ["a build that fails", [...make, "exit 3"], {}],
  ["a build that only reads", make, { cacheReadOnly: true }],
])("%s stores nothing", async (_what, commands, more) => {
  const cache = aCache();
  await run(cache, commands, more);
  expect(storedOf(cache.name)).toEqual([]);
});

test.each([
  ["too much", ["mkdir kept && truncate -s 1T kept/sparse"], /cache error: .*: larger than 1 GiB\n/],
  ["nothing", ["true"], /: nothing to store\n/],
  ["a pipe and a link to elsewhere", ["mkdir kept && mkfifo kept/pipe && ln -s /etc kept/etc"], /left out 1 links/],
])("a build that leaves %s passes and says so", async (_what, commands, line) => {
  const { text, final } = await run(aCache(), commands);
  expect(final).toBe("passed");
  expect(text).toMatch(line);
});

test("caches wait for a service that restarts", async () => {
  const cache = aCache();
  runner.queue.onCall("putCache", () => outage("store"));
  runner.queue.onCall("findCache", () => outage("find"));
  runner.queue.onCall("readCache", () => outage("read"));
  const seen = new Set<string>();
  const outage = (what: string) => {
    if (!seen.has(what)) runner.queue.cacheOutages = 2;
    seen.add(what);
  };
  const first = await run(cache, make);
  expect(first.text).toContain(`Cache ${cache.name}: stored 5 files`);
  const [stored] = storedOf(cache.name);
  await rm(join(copies(), `${stored!.header.sha256}.tar`));
  const { text } = await run(cache, show);
  expect(text).toMatch(/: hit: .* fetched\n/);
  expect(text).toContain("one\ntwo\n");
  expect([...seen].sort()).toEqual(["find", "read", "store"]);
});

test("a queue that refuses caches fails no build", async () => {
  runner.queue.cacheFailure = new Fault("invalid", "refused");
  const { text, final } = await run(aCache(), make).finally(() => {
    runner.queue.cacheFailure = undefined;
  });
  expect(final).toBe("passed");
  expect(text).toMatch(/cache error: cache-\d+: refused\n/);
});
