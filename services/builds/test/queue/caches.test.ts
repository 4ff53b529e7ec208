import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { sendUpload } from "@ci/kit/bytes/upload";
import type { Assignment, CacheHeader } from "@ci/proto/builds/v1/queue";
import { eventually } from "@ci/testkit/eventually";
import { bootBuilds, fault } from "../_suite.js";
import { database } from "./_crowd.js";

const suite = bootBuilds({ curationEveryMs: 50 });
const data = database(suite.names);
const hash = (text: string) => createHash("sha256").update(text).digest("hex");

const manifest = (namespace = "") => `
namespace: ${namespace}
driver: {type: os}
cache: [{name: npm, key: [lock], paths: [kept]}, {name: go, paths: [mod]}]
jobs: [{commands: [make]}]
`;

type Name = "ann" | "bob" | "eve";

async function claimed(name: Name = "ann", text = manifest()): Promise<Assignment> {
  await suite.submit(suite.users[name], text);
  return (await suite.claim())!;
}

const headerOf = ({ buildId, epoch }: Assignment, more: Partial<CacheHeader> = {}): CacheHeader => ({
  ...{ buildId, epoch, name: "npm", key: hash("key"), size: 1_000, sha256: hash("content") },
  ...more,
});

const put = (build: Assignment, content = "compressed", more: Partial<CacheHeader> = {}) =>
  suite.queue.putCache(sendUpload(headerOf(build, more), Readable.from([Buffer.from(content)])));

const find = ({ buildId, epoch }: Assignment, key = hash("key"), name = "npm") =>
  suite.queue.findCache({ buildId, epoch, name, key });

async function read({ buildId, epoch }: Assignment, id: number): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const { chunk } of suite.queue.readCache({ buildId, epoch, id })) pieces.push(Buffer.from(chunk));
  return Buffer.concat(pieces).toString();
}

const done = async (build: Assignment) => {
  for (const index of build.jobs.keys()) await suite.finish(build, index, "passed");
};

const listed = async (name: Name) =>
  (await suite.as(suite.users[name], () => suite.builds.listCaches({ page: { number: 1 } }))).caches;

const remove = (name: Name, id: number) => suite.as(suite.users[name], () => suite.builds.deleteCache({ id }));

afterEach(async () => {
  for (const name of ["ann", "bob"] as const) for (const { id } of await listed(name)) await remove(name, id);
});

test("a runner finds entries of its own format only", async () => {
  const build = await claimed();
  await put(build);
  expect(await find(build)).toMatchObject({ exact: true, format: undefined });
  const asked = { buildId: build.buildId, epoch: build.epoch, name: "npm", key: hash("key"), format: 2 };
  expect(await suite.queue.findCache(asked)).toMatchObject({ entry: undefined });
  await put(build, "compressed", { format: 2 });
  expect(await suite.queue.findCache(asked)).toMatchObject({ exact: true, format: 2 });
  await done(build);
});

test("an assignment says what is kept, and how much of it", async () => {
  const build = await claimed();
  expect(build).toMatchObject({
    caches: [
      { name: "npm", key: ["lock"], paths: ["kept"] },
      { name: "go", key: [], paths: ["mod"] },
    ],
    cacheLimitBytes: suite.config.cacheBytes,
    cacheReadOnly: false,
  });
  await done(build);
});

test("a later build finds the entry with its key, else the newest one of the name", async () => {
  const first = await claimed();
  expect(await find(first)).toEqual({ exact: false, entry: undefined });
  expect(await put(first, "one")).toEqual({ stored: true, storedSize: 3 });
  expect(await put(first, "two", { key: hash("other"), sha256: hash("two") })).toMatchObject({ stored: true });
  await done(first);
  const second = await claimed();
  const exact = await find(second);
  expect(exact).toMatchObject({ exact: true, entry: { size: 1_000, sha256: hash("content") } });
  expect(await read(second, exact.entry!.id)).toBe("one");
  const newest = await find(second, hash("unknown"));
  expect(newest).toMatchObject({ exact: false, entry: { sha256: hash("two") } });
  expect(await read(second, newest.entry!.id)).toBe("two");
  expect(await find(second, hash("key"), "go")).toMatchObject({ exact: false, entry: undefined });
  await done(second);
});

test("an entry is stored once", async () => {
  const build = await claimed();
  expect(await put(build, "one")).toMatchObject({ stored: true });
  expect(await put(build, "two")).toMatchObject({ stored: false });
  expect(await read(build, (await find(build)).entry!.id)).toBe("one");
  await done(build);
});

test("a build that is queued again finds what its first attempt stored", async () => {
  const first = await claimed();
  await put(first);
  await suite.loseRunners();
  const second = await eventually(async () => {
    const again = await suite.claim();
    expect(again?.buildId).toBe(first.buildId);
    return again!;
  });
  expect(await fault(find(first))).toMatchObject({ code: "conflict" });
  expect(await find(second)).toMatchObject({ exact: true });
  for (const index of second.jobs.keys()) await suite.finish(second, index, "passed");
});

test("no user gets what is another user's", async () => {
  const anns = await claimed();
  await put(anns);
  const { id } = (await find(anns)).entry!;
  await done(anns);
  const bobs = await claimed("bob");
  expect(await find(bobs)).toMatchObject({ entry: undefined });
  expect(await fault(read(bobs, id))).toMatchObject({ code: "not_found" });
  expect(await listed("bob")).toEqual([]);
  expect(await fault(remove("bob", id))).toMatchObject({ code: "not_found" });
  await done(bobs);
});

test("builds of one tree of namespaces share entries, and no others use them", async () => {
  const inChild = await claimed("ann", manifest("tree/child"));
  await put(inChild);
  await done(inChild);
  const inRoot = await claimed("ann", manifest("tree"));
  expect(await find(inRoot)).toMatchObject({ exact: true });
  await done(inRoot);
  const [entry] = await listed("ann");
  expect(entry).toMatchObject({ userId: suite.users.ann.id, namespaceId: expect.any(Number), driver: "os" });
  const elsewhere = await claimed("ann", manifest("forest"));
  expect(await find(elsewhere)).toMatchObject({ entry: undefined });
  await done(elsewhere);
});

test("a lost lease, a cache that the manifest does not have and a wrong key store nothing", async () => {
  const build = await claimed();
  expect(await fault(put({ ...build, epoch: 9 }))).toMatchObject({ code: "conflict" });
  expect(await fault(put(build, "x", { name: "other" }))).toMatchObject({ code: "not_found" });
  expect(await fault(put(build, "x", { key: "../x" }))).toMatchObject({ code: "invalid" });
  expect(await fault(put(build, "x", { size: suite.config.cacheBytes + 1 }))).toMatchObject({ code: "invalid" });
  expect(await fault(put(build, "x".repeat(suite.config.cacheBytes + 1)))).toMatchObject({ code: "invalid" });
  await done(build);
  expect(await fault(find(build))).toMatchObject({ code: "conflict" });
  expect(await listed("ann")).toEqual([]);
});

test("beyond CACHE_STORAGE, the entry goes that was not used for the longest time", async () => {
  const build = await claimed();
  const large = "x".repeat(suite.config.cacheStorageBytes * 0.4);
  for (const name of ["a", "b"]) {
    await put(build, large, { key: hash(name), sha256: hash(name) });
    suite.advanceClock(1_000);
  }
  await find(build, hash("a"));
  suite.advanceClock(1_000);
  await put(build, large, { key: hash("c"), sha256: hash("c") });
  expect((await listed("ann")).map(({ key }) => key)).toEqual([hash("c"), hash("a")]);
  await done(build);
});

test("an entry that no build has used for CACHE_UNUSED is removed with its content", async () => {
  const build = await claimed();
  await put(build);
  await done(build);
  suite.advanceClock(suite.config.cacheUnusedMs - 60_000);
  const user = await claimed();
  await find(user);
  await done(user);
  suite.advanceClock(120_000);
  expect(await listed("ann")).toHaveLength(1);
  suite.advanceClock(suite.config.cacheUnusedMs);
  await eventually(async () => expect(await listed("ann")).toEqual([]));
  await eventually(async () => expect(await data.db.collection("artifacts.files").countDocuments()).toBe(0));
});

test("a build of a fork reads entries and stores none", async () => {
  await suite.submit(suite.users.ann, manifest("forked"));
  const own = (await suite.claim())!;
  await put(own);
  await done(own);
  await suite.submit(suite.users.ann, manifest("forked"));
  const origin = { url: "https://git.example.com/a/b", sha: "0".repeat(40), bare: true };
  await data.db.collection("builds").updateOne({ status: "queued" }, { $set: { origin } });
  const fork = (await suite.claim())!;
  expect(fork.cacheReadOnly).toBe(true);
  expect(await find(fork)).toMatchObject({ exact: true });
  expect(await fault(put(fork, "x", { key: hash("other") }))).toMatchObject({ code: "forbidden" });
  await done(fork);
});

test("what a deleted user kept is removed", async () => {
  const build = await claimed("eve");
  await put(build);
  await done(build);
  const { username } = suite.users.eve;
  await suite.as(suite.users.ann, () => suite.accounts.accounts.deleteUser({ username }));
  await eventually(async () => expect(await data.db.collection("caches").countDocuments()).toBe(0));
});
