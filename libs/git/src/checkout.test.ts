import { turnsDuring } from "@ci/testkit/turns-during";
import { type CheckedOut, checkout } from "./checkout.js";
import type { GitObject } from "./pack.js";
import type { Remote } from "./remote.js";

const idOf = (n: number) => n.toString(16).padStart(40, "0");
const entry = (mode: string, name: string, id: number) =>
  Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(idOf(id), "hex")]);
const tree = (...entries: Buffer[]): GitObject => ({ type: "tree", data: Buffer.concat(entries) });
const blob = (text: string): GitObject => ({ type: "blob", data: Buffer.from(text) });
const commit: GitObject = { type: "commit", data: Buffer.from(`tree ${idOf(2)}\n\nmessage`) };

/** A repository in memory. Object 1 is the commit, object 2 its root. Refuses more than `most` objects at once. */
function remoteOf(objects: Readonly<Record<number, GitObject>>, most = 1_000) {
  const all = new Map(Object.entries({ 1: commit, ...objects }).map(([id, object]) => [idOf(Number(id)), object]));
  const asked: number[] = [];
  const remote: Remote = {
    hash: "sha1",
    async get(...ids) {
      asked.push(ids.length);
      if (ids.length > most) throw new Error("repository too large");
      return all;
    },
    forget: () => undefined,
    find: async () => undefined,
    head: async () => undefined,
  };
  return { remote, asked };
}

const roomy = { most: 1_000, maxPaths: 1_000, maxPathBytes: 100_000 };

async function filesOf(objects: Readonly<Record<number, GitObject>>, given: Partial<typeof roomy> = {}) {
  const { most, ...limits } = { ...roomy, ...given };
  const files: CheckedOut[] = [];
  for await (const file of checkout(remoteOf(objects, most).remote, idOf(1), limits)) files.push(file);
  return files.map(({ path, kind, data }) => `${kind} ${path} ${data}`.trimEnd()).sort();
}

test("a commit's files have their paths and kinds; a submodule is an empty folder", async () => {
  const root = tree(
    entry("100644", "a", 10),
    entry("120000", "link", 11),
    entry("40000", "one", 3),
    entry("160000", "sub", 99),
    entry("40000", "two", 3),
  );
  const objects = { 2: root, 3: tree(entry("100755", "run", 12)), 10: blob("A"), 11: blob("/etc"), 12: blob("R") };
  expect(await filesOf(objects)).toEqual([
    "executable one/run R",
    "executable two/run R",
    "file a A",
    "folder sub",
    "link link /etc",
  ]);
});

test("fewer objects are asked for if they are too large together", async () => {
  const root = tree(...Array.from({ length: 20 }, (_, n) => entry("100644", `f${n}`, 10 + n)));
  const blobs = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [10 + n, blob(`${n}`)]));
  expect(await filesOf({ 2: root, ...blobs }, { most: 3 })).toHaveLength(20);
  await expect(filesOf({ 2: root, ...blobs }, { most: 0 })).rejects.toThrow("repository too large");
});

test.each(["..", ".", "", ".git", ".GIT", "a/b"])("a file by the name of %j is refused", async (name) => {
  await expect(filesOf({ 2: tree(entry("100644", name, 10)), 10: blob("x") })).rejects.toThrow("malformed directory");
});

test("two entries by one name are refused: one could be a link, through which the other leads out", async () => {
  const root = tree(entry("120000", "a", 10), entry("40000", "a", 3));
  await expect(filesOf({ 2: root, 3: tree(entry("100644", "b", 10)), 10: blob("/etc") })).rejects.toThrow("malformed");
});

test("a few objects that make a million paths are refused", async () => {
  const wide = (id: number) => tree(...Array.from({ length: 10 }, (_, n) => entry("40000", `d${n}`, id)));
  const objects = { 2: wide(3), 3: wide(4), 4: wide(5), 5: wide(6), 6: tree(entry("100644", "f", 10)), 10: blob("x") };
  await expect(filesOf(objects)).rejects.toThrow("repository too large: more than 1000 files and folders");
});

test("a folder with too many entries is refused before the rest of it is read", async () => {
  const many = Array.from({ length: 1_001 }, (_, n) => entry("100644", `f${n}`, 10));
  await expect(filesOf({ 2: tree(...many, Buffer.from("malformed")) })).rejects.toThrow("more than 1000 files");
});

test("long paths are refused if they are too many together, though their folders are few", async () => {
  const objects = { 2: tree(entry("40000", "d".repeat(200), 3)), 3: tree(entry("40000", "e".repeat(200), 4)) };
  const files = Array.from({ length: 300 }, (_, n) => entry("120000", `f${n}`, 10));
  await expect(filesOf({ ...objects, 4: tree(...files), 10: blob("x") })).rejects.toThrow(
    "repository too large: all paths together are longer than 100000 bytes",
  );
});

test("a commit larger than 1 MiB is refused", async () => {
  const large: GitObject = { type: "commit", data: Buffer.concat([commit.data, Buffer.alloc(1024 ** 2)]) };
  await expect(filesOf({ 1: large, 2: tree(entry("100644", "a", 10)), 10: blob("x") })).rejects.toThrow(
    "commit too large",
  );
});

test("other work has its turn while many files are listed", async () => {
  const many = Array.from({ length: 50_000 }, (_, n) => entry("100644", `f${n}`, 10));
  const { remote } = remoteOf({ 2: tree(...many), 10: blob("x") });
  const files = checkout(remote, idOf(1), { maxPaths: 50_000, maxPathBytes: 1_000_000 });
  // Names, and then paths: each in slices.
  expect(await turnsDuring(files.next())).toBeGreaterThanOrEqual(50);
  const rest = async () => {
    for await (const _file of files);
  };
  expect(await turnsDuring(rest())).toBeGreaterThanOrEqual(20);
});
