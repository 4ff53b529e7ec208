import { mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { extract, type Header, pack } from "tar-stream";
import type { Tree } from "../driver.js";
import { clashesWith, type EntryHeader } from "./names.js";
import { type Packing, packTrees } from "./pack.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pack-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const never = new AbortController().signal;
const inHome: Packing = {
  layout: { roots: [""], isAbsolute: false },
  wanted: ["kept"],
  limitBytes: 1e6,
  signal: never,
};
const inContainer: Packing = {
  ...inHome,
  layout: { roots: ["build", "root"], isAbsolute: true },
  wanted: ["build/kept"],
};

function treeOf(entries: readonly (EntryHeader & { text?: string })[], at = ""): Tree {
  const archive = pack();
  for (const { text = "", ...header } of entries)
    if (header.type === "file") archive.entry(header as Header, text);
    else archive.entry(header as Header);
  archive.finalize();
  return { folder: at, content: archive as AsyncIterable<Uint8Array> };
}

/** Packs a tree and returns the entries of the archive with what was left out. */
async function packed(tree: Tree, options: Packing) {
  const to = join(folder, "archive");
  const { skipped, ...facts } = await packTrees(Readable.from([tree]), to, options);
  const entries: string[] = [];
  const archive = extract();
  archive.end(await readFile(to));
  for await (const entry of archive) {
    const { name, type, linkname } = entry.header;
    entries.push(`${type} ${name}${linkname ? ` -> ${linkname}` : ""}`);
    entry.resume();
  }
  return { entries, skipped: Object.fromEntries(skipped), facts };
}

test("keeps files, folders, links and strange names", async () => {
  const tree = treeOf([
    { name: "./kept/", type: "directory" },
    { name: "./kept/a\nb", type: "file", text: "x" },
    { name: `./kept/${"long/".repeat(60)}file`, type: "file", text: "y" },
    { name: "./kept/.bin/link", type: "symlink", linkname: "../a\nb" },
    { name: "./kept/hard", type: "link", linkname: "./kept/a\nb" },
  ]);
  const { entries, skipped, facts } = await packed(tree, inHome);
  expect(entries).toEqual([
    "directory kept/",
    "file kept/a\nb",
    `file kept/${"long/".repeat(60)}file`,
    "symlink kept/.bin/link -> ../a\nb",
    "link kept/hard -> kept/a\nb",
  ]);
  expect(skipped).toEqual({});
  expect(facts).toEqual({ files: 5, sizeBytes: expect.any(Number), sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
});

test("leaves out links that lead elsewhere, special files and names from elsewhere", async () => {
  const tree = treeOf([
    { name: "kept/out", type: "symlink", linkname: "../../etc/passwd" },
    { name: "kept/absolute", type: "symlink", linkname: "/etc/passwd" },
    { name: "kept/hard", type: "link", linkname: "../shadow" },
    { name: "kept/device", type: "block-device" },
    { name: "kept/pipe", type: "fifo" },
    { name: "kept/../../climbs", type: "file", text: "x" },
    { name: "other", type: "file", text: "x" },
    { name: "kept/good", type: "file", text: "x" },
  ]);
  const { entries, skipped } = await packed(tree, inHome);
  expect(entries).toEqual(["file kept/good"]);
  expect(skipped).toEqual({ "links that lead out of the workspace": 3, "special files": 2 });
});

test("leaves out files that the build places, hard links to them and what is in their way", async () => {
  const tree = treeOf([
    { name: "kept/", type: "directory" },
    { name: "kept/given", type: "file", text: "old" },
    { name: "kept/given2", type: "file", text: "x" },
    { name: "kept/hard", type: "link", linkname: "kept/given" },
    { name: "kept/soft", type: "symlink", linkname: "given" },
    { name: "kept/settings/", type: "directory" },
    { name: "kept/settings/file/", type: "directory" },
    { name: "kept/settings/file/old", type: "file", text: "x" },
    { name: "kept/tools", type: "symlink", linkname: "settings" },
  ]);
  const placed = ["kept/given", "kept/settings/file", "kept/tools/bin/tool"];
  const { entries, skipped } = await packed(tree, { ...inHome, placed });
  expect(entries).toEqual([
    "directory kept/",
    "file kept/given2",
    "symlink kept/soft -> given",
    "directory kept/settings/",
  ]);
  expect(skipped).toEqual({ "files that the build places": 5 });
});

test("leaves out names that no path can have", async () => {
  const tree = treeOf([
    { name: "kept/x", type: "directory", pax: { path: `kept/${"a/".repeat(100_000)}` } },
    { name: "kept/x", type: "symlink", linkname: "b", pax: { linkpath: "b/".repeat(100_000) } },
    { name: "kept/file", type: "file", text: "x" },
  ]);
  const before = process.cpuUsage();
  const { entries, skipped } = await packed(tree, inHome);
  expect(entries).toEqual(["file kept/file"]);
  expect(skipped).toEqual({ "names that are too long": 2 });
  // Quadratic work took minutes.
  expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
});

test("the limit counts long names", async () => {
  const names = Array.from({ length: 20 }, (_, nth) => `kept/${nth}${"a".repeat(4_000)}`);
  const tree = treeOf(names.map((name) => ({ name, type: "file", text: "x" })));
  // A tar-stream that is cut off emits errors.
  const whole = { ...tree, content: Readable.from([await buffer(tree.content)]) };
  await expect(packed(whole, { ...inHome, limitBytes: 60_000 })).rejects.toThrow("larger than");
});

test("compares names with very many folders in linear time", async () => {
  const deep = `kept/${"a/".repeat(200_000)}`;
  const placed = [`${deep}given`, "kept/given"];
  const clashes = clashesWith(placed);
  const before = process.cpuUsage();
  for (const name of [`${deep}given`, `${deep}given/x`, deep.slice(0, -1), "kept/a", "kept/given"])
    expect(clashes({ name, type: "file" })).toBe(true);
  for (const name of [`${deep}other`, `${deep}given2`, "kept/b"]) expect(clashes({ name, type: "file" })).toBe(false);
  expect(clashes({ name: deep, type: "directory" })).toBe(false);
  // Quadratic work took all memory.
  expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
});

test("in a container, absolute links may lead into the workspace", async () => {
  const links = ["/build/x", "/root/.npm/x", "/etc/passwd", "../x"];
  const tree = treeOf(
    links.map((linkname, index) => ({ name: `kept/${index}`, type: "symlink" as const, linkname })),
    "build",
  );
  const { entries, skipped } = await packed(tree, inContainer);
  expect(entries).toEqual([
    "symlink build/kept/0 -> /build/x",
    "symlink build/kept/1 -> /root/.npm/x",
    "symlink build/kept/3 -> ../x",
  ]);
  expect(skipped).toEqual({ "links that lead out of the workspace": 1 });
});

test.each(["kept/sparse", "left-out/sparse"])("refuses a huge file before its content arrives: %s", async (name) => {
  const archive = pack();
  const sparse = archive.entry({ name, size: 2 ** 40 });
  sparse.on("error", () => undefined);
  sparse.write(Buffer.alloc(512));
  const tree = { folder: "", content: archive as AsyncIterable<Uint8Array> };
  await expect(packed(tree, inHome)).rejects.toMatchObject({ code: "invalid", message: "larger than 1000000 bytes" });
});

test.each(["kept/x", "left-out/x"])("refuses more than 200000 files like %s", async (name) => {
  async function* folders() {
    const archive = pack();
    archive.entry({ name, type: "directory" });
    archive.finalize();
    const pieces: Uint8Array[] = [];
    for await (const piece of archive) pieces.push(piece as Uint8Array);
    const header = Buffer.concat(pieces).subarray(0, 512);
    for (;;) yield Buffer.concat(Array.from({ length: 1_000 }, () => header));
  }
  const packing = packed({ folder: "", content: folders() }, { ...inHome, limitBytes: 1e12 });
  await expect(packing).rejects.toMatchObject({ code: "invalid", message: "more than 200000 files" });
});

/** Returns a header of extensions ("x" for the next entry, "g" for all later ones) of `bytes`, whose records are small. */
async function extensions(type: "x" | "g", bytes: number): Promise<Buffer> {
  const records = Buffer.from(
    Array.from({ length: bytes / 16 }, (_, nth) => `16 ${`${nth}`.padStart(10, "k")}=1\n`).join(""),
  );
  const archive = pack();
  archive.entry({ name: "x", size: records.length }, records);
  archive.finalize();
  const whole = (await buffer(archive)).subarray(0, 512 + Math.ceil(records.length / 512) * 512);
  // The checksum counts its own bytes as spaces.
  whole.write(type, 156);
  whole.fill(" ", 148, 156);
  const sum = whole.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  whole.write(`${sum.toString(8).padStart(6, "0")}\0`, 148);
  return whole;
}

test.each([
  ["x", 256, 257],
  ["g", 4, 5],
] as const)("reads no extensions of type %s that take long: %d KiB, but not %d", async (type, most, more) => {
  const file = await buffer(treeOf([{ name: "kept/file", type: "file", text: "x" }]).content);
  const withHeader = async (kib: number) =>
    packed({ folder: "", content: Readable.from([await extensions(type, kib * 1_024), file]) }, inHome);
  expect((await withHeader(most)).entries).toEqual(["file kept/file"]);
  await expect(withHeader(more)).rejects.toThrow("Header exceeds max size");
});

test("an archive that breaks off fails", async () => {
  const content = Readable.from([Buffer.alloc(100, 1)]);
  await expect(packed({ folder: "", content }, inHome)).rejects.toThrow();
});
