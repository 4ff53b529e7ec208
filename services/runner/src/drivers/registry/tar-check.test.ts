import { buffer } from "node:stream/consumers";
import { type Header, pack } from "tar-stream";
import { tarCheck } from "./tar-check.js";

type Entry = Partial<Header> & { readonly text?: string };

/** A tar archive of these entries. */
function tarOf(...entries: readonly Entry[]): Promise<Buffer> {
  const archive = pack();
  for (const { text = "", ...header } of entries) archive.entry({ name: "a", ...header }, text);
  archive.finalize();
  return buffer(archive as unknown as AsyncIterable<Buffer>);
}

/** Changes the first header, whose checksum stays right. */
function changed(tar: Buffer, at: number, bytes: string): Buffer {
  const copy = Buffer.from(tar);
  copy.write(bytes, at, "latin1");
  copy.fill(" ", 148, 156);
  const sum = copy.subarray(0, 512).reduce((sum, byte) => sum + byte, 0);
  copy.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return copy;
}

const pieces = (tar: Buffer, size: number) =>
  Array.from({ length: Math.ceil(tar.length / size) }, (_, n) => tar.subarray(n * size, (n + 1) * size));
const check = (tar: Buffer, size: number): void => pieces(tar, size).forEach(tarCheck(() => undefined));

const sparse = { pax: { "GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "1000000000000" } };
const text = "x".repeat(700);
const inner = async () => (await tarOf({ ...sparse, text })).toString("latin1");

test.each<[string, () => Promise<Buffer>]>([
  ["that is empty", async () => Buffer.alloc(0)],
  [
    "of a file, a folder, a link, and long names",
    () =>
      tarOf(
        { text },
        { type: "directory", name: "d/" },
        { type: "symlink", linkname: "a" },
        { name: "n".repeat(300), text },
      ),
  ],
  ["whose size is in an extension", () => tarOf({ pax: { size: "700", comment: "a=b\nc" }, text }, { text })],
  [
    "with a size of many bytes",
    async () => changed(await tarOf({ text }, { text }), 124, `\x80${"\0".repeat(9)}\x02\xbc`),
  ],
  ["that contains an archive with a sparse file", async () => tarOf({ text: await inner() })],
  [
    "with something after its end",
    async () => Buffer.concat([await tarOf({ text }), Buffer.from(await inner(), "latin1")]),
  ],
])("an archive %s is accepted", async (_what, made) => {
  const tar = await made();
  for (const size of [1, 511, 512, 100_000]) expect(() => check(tar, size)).not.toThrow();
});

test.each<[string, () => Promise<Buffer>, string]>([
  ["a sparse file", () => tarOf({ text }, { ...sparse, text }), "its layers contain sparse files"],
  [
    "a sparse file after a folder with a size",
    async () =>
      Buffer.concat([
        changed((await tarOf({ type: "directory" })).subarray(0, 512), 124, "00000002000"),
        await tarOf({ ...sparse, text }),
      ]),
    "its layers contain sparse files",
  ],
  [
    "a sparse file behind a size that is taken back",
    async () => {
      const twice = "12 size=512\n8 size=\n";
      const extension = changed((await tarOf({ text: twice })).subarray(0, 1_024), 156, "x");
      return Buffer.concat([extension, (await tarOf({})).subarray(0, 512), await tarOf({ ...sparse, text })]);
    },
    "its layers contain sparse files",
  ],
  [
    "an extension of very many records",
    async () => changed((await tarOf({ text: "5 a=\n".repeat(1_001) })).subarray(0, -1_024), 156, "x"),
    "cannot be unpacked",
  ],
  [
    "an old kind of sparse file",
    async () => changed(await tarOf({ text }), 156, "S"),
    "its layers contain sparse files",
  ],
  [
    "an old kind of folder with a size",
    async () => changed(changed(await tarOf({ text }), 156, "\0"), 0, "d/"),
    "cannot be unpacked",
  ],
  [
    "an old kind of folder whose name is elsewhere",
    async () => changed(changed(await tarOf({ text }), 156, "\0"), 0, "\0"),
    "cannot be unpacked",
  ],
  ["a size that is no number", async () => changed(await tarOf({ text }), 124, "9"), "cannot be unpacked"],
  ["a wrong checksum", async () => (await tarOf({ text })).fill("b", 0, 1), "cannot be unpacked"],
  [
    "a header after a block of zeros",
    async () => Buffer.concat([Buffer.alloc(512), await tarOf({ text })]),
    "cannot be unpacked",
  ],
])("an archive with %s is refused", async (_what, made, reason) => {
  const tar = await made();
  for (const size of [1, 511, 512, 100_000]) expect(() => check(tar, size)).toThrow(reason);
});

/** Returns what the entries of an archive count. */
function counted(tar: Buffer): [made: number, bytes: number][] {
  const all: [number, number][] = [];
  pieces(tar, 10_000).forEach(tarCheck((made, bytes) => all.push([made, bytes])));
  return all;
}

test("each entry counts once, with its bytes", async () => {
  const tar = await tarOf(
    { type: "directory", name: "d/" },
    { name: "d/a", text },
    { type: "directory", name: "d/e/" },
    { name: `d/e/${"n".repeat(250)}`, text: "x" },
    { type: "symlink", name: "./d/l", linkname: "a" },
  );
  expect(counted(tar)).toEqual([
    [1, 512],
    [1, 1_536],
    [1, 512],
    [1, 1_024],
    [1, 512],
  ]);
});

const deep = (levels: number) => `${"d/".repeat(levels)}f`;

test.each<[string, () => Promise<Buffer>, number]>([
  ["a short name", () => tarOf({ name: deep(40) }), 41],
  ["a name in two fields", () => tarOf({ name: `${deep(100)}` }), 101],
  ["the name of an extension", () => tarOf({ name: deep(2_000) }), 2_001],
  [
    "a long name of GNU",
    async () =>
      Buffer.concat([changed((await tarOf({ text: deep(300) })).subarray(0, 1_536), 156, "L"), await tarOf({})]),
    301,
  ],
  ["an extension whose entry has another deep name", () => tarOf({ name: deep(40), pax: { path: deep(30) } }), 31],
])("the folders that %s leads through count, too", async (_what, made, count) => {
  expect(counted(await made()).map(([entries]) => entries)).toEqual([count]);
});
