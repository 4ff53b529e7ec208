import { createHash } from "node:crypto";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import zlib, { gzipSync } from "node:zlib";
import { unpacking } from "./unpacked.js";

const text = Buffer.from("layer ".repeat(50_000));
const digestOf = (bytes: Buffer) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
const halves = (pack: (bytes: Buffer) => Buffer) => [pack(text.subarray(0, 1_000)), pack(text.subarray(1_000))];

/** Returns how much memory is in use. */
function usedBytes(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().heapUsed;
}

async function unpacked(pieces: readonly Buffer[], take = (_piece: Buffer) => {}): Promise<string> {
  using layer = unpacking(take);
  for (const piece of pieces) await layer.write(piece);
  return await layer.end();
}

test.each<[string, readonly Buffer[], Buffer]>([
  ["that is not packed", [text], text],
  ["that is packed with gzip", [gzipSync(text)], text],
  ["in pieces of a byte", [...gzipSync(text)].map((byte) => Buffer.from([byte])), text],
  ["in two members of gzip", halves((bytes) => gzipSync(bytes)), text],
  ["in two members of gzip in one piece", [Buffer.concat(halves((bytes) => gzipSync(bytes)))], text],
  ["of one byte", [Buffer.from("x")], Buffer.from("x")],
  ["of nothing", [], Buffer.alloc(0)],
])("returns the digest of a layer %s", async (_what, pieces, content) => {
  expect(await unpacked(pieces)).toBe(digestOf(content));
});

const { zstdCompressSync } = zlib as unknown as { zstdCompressSync?: (bytes: Buffer) => Buffer };
const skippable = Buffer.from("502a4d1804000000ffffffff", "hex");

test("returns the digest of a layer in frames of zstd, where Node.js has it", async () => {
  if (!zstdCompressSync)
    return expect(unpacked([Buffer.from("28b52ffd", "hex")])).rejects.toThrow("its layers are packed with zstd");
  const [first, second] = halves(zstdCompressSync) as [Buffer, Buffer];
  const all = Buffer.concat([skippable, first, skippable, second]);
  const bytes = [...all].map((byte) => Buffer.from([byte]));
  const middle = first.length + skippable.length + 20;
  for (const pieces of [[first, second], [all], bytes, [all.subarray(0, middle), all.subarray(middle)]])
    expect(await unpacked(pieces)).toBe(digestOf(text));
});

test.each<[string, Buffer]>([
  ["that is broken", gzipSync(text).fill(0xff, 12)],
  ["that ends too early", gzipSync(text).subarray(0, 200)],
])("refuses a layer %s", async (_how, packed) => {
  await expect(unpacked([packed])).rejects.toThrow("its layers cannot be unpacked");
});

test("stops when it has counted too much", async () => {
  let bytes = 0;
  const count = (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > 100_000) throw new Error("too much");
  };
  await expect(unpacked([gzipSync(Buffer.alloc(100 * 1024 ** 2))], count)).rejects.toThrow("too much");
  expect(bytes).toBeLessThan(200_000);
});

test.each([
  ["bzip2", "425a683931415926"],
  ["xz", "fd377a585a000004"],
])("refuses a layer that is packed with %s, which an engine would unpack without a limit", async (_with, bytes) => {
  await expect(unpacked([Buffer.from(bytes, "hex")])).rejects.toThrow("packed with bzip2 or xz");
});

test("keeps nothing of the pieces that it has unpacked", async () => {
  using layer = unpacking(() => {});
  const piece = Buffer.from("piece");
  const write = async (count: number) => {
    for (let n = 0; n < count; n++) await layer.write(piece);
    return usedBytes();
  };
  const before = await write(1_000);
  expect((await write(50_000)) - before).toBeLessThan(4 * 1024 ** 2);
  await layer.end();
});
