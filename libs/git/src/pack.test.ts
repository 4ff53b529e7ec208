import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import { turnsDuring } from "@ci/testkit/turns-during";
import { readPack } from "./pack.js";
import { budgetOf } from "./pack-limits.js";

const mib = 1024 ** 2;
const blob = 3;
const offsetDelta = 6;

function header(kind: number, size: number): Buffer {
  const bytes = [(kind << 4) | (size & 15)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1]! |= 128;
    bytes.push(rest & 127);
  }
  return Buffer.from(bytes);
}

const entry = (kind: number, data: Buffer, base: Buffer = Buffer.alloc(0)) =>
  Buffer.concat([header(kind, data.length), base, deflateSync(data)]);

function packOf(entries: readonly Buffer[], count = entries.length): Buffer {
  const start = Buffer.from("PACK\0\0\0\x02\0\0\0\0");
  start.writeUInt32BE(count, 8);
  return Buffer.concat([start, ...entries]);
}

const repeated = (one: Buffer, count: number) => Buffer.alloc(one.length * count, one);
const idOf = (data: Buffer) => createHash("sha1").update(`blob ${data.length}\0`).update(data).digest("hex");
const read = (pack: Buffer, maxBytes = 32 * mib) => readPack(pack, "sha1", budgetOf(maxBytes, 50_000));
const failure = (reading: Promise<unknown>) =>
  reading.then(
    () => "read",
    (error) => error.message,
  );

test("a pack of 2,000,000 empty objects is refused before any of them is read", async () => {
  const empty = entry(blob, Buffer.alloc(0));
  expect(await failure(read(packOf([repeated(empty, 2_000_000)], 2_000_000)))).toBe(
    "repository too large: more than 50000 objects",
  );
  // Nothing after the count is read: the rest may be missing.
  expect(await failure(read(packOf([], 2_000_000)))).toBe("repository too large: more than 50000 objects");
});

test("the objects and bytes of several packs are limited together", async () => {
  const empty = entry(blob, Buffer.alloc(0));
  const budget = budgetOf(2_000, 50_000);
  await readPack(packOf([repeated(empty, 30_000)], 30_000), "sha1", budget);
  expect(await failure(readPack(packOf([repeated(empty, 30_000)], 30_000), "sha1", budget))).toMatch("50000 objects");
  const large = () => readPack(packOf([entry(blob, Buffer.alloc(1_500))]), "sha1", budget);
  await large();
  expect(await failure(large())).toBe("repository too large");
});

test("other work gets its turn while a pack is read, in proportion to its objects", async () => {
  const small = entry(blob, Buffer.from("x"));
  const few = await turnsDuring(read(packOf([repeated(small, 5_000)], 5_000)));
  const many = await turnsDuring(read(packOf([repeated(small, 20_000)], 20_000)));
  expect(few).toBeGreaterThan(20);
  expect(many).toBeGreaterThan(3 * few);
});

test("a large object is decompressed and hashed outside the event loop's turn", async () => {
  const data = Buffer.alloc(16 * mib, "text ");
  const found = read(packOf([entry(blob, data)]));
  expect(await turnsDuring(found)).toBeGreaterThan(50);
  expect([...(await found).keys()]).toEqual([idOf(data)]);
});

/** A stream of this length, of blocks without content. */
function emptyStream(bytes: number): Buffer {
  const stream = deflateSync(Buffer.alloc(0), { level: 0 });
  const emptyBlock = Buffer.from([0, 0, 0, 0xff, 0xff]);
  return Buffer.concat([stream.subarray(0, 2), repeated(emptyBlock, bytes / 5), stream.subarray(2)]);
}

test.each([8_000, 60_000])(
  "other work gets its turn while empty objects with streams of %d bytes are read",
  async (bytes) => {
    const empty = Buffer.concat([header(blob, 0), emptyStream(bytes)]);
    const found = read(packOf([repeated(empty, 400)], 400));
    expect(await turnsDuring(found)).toBeGreaterThan(70);
    expect([...(await found).keys()]).toEqual([idOf(Buffer.alloc(0))]);
  },
);

test("an empty object whose compressed stream is long is decompressed outside the event loop's turn", async () => {
  const found = await read(
    packOf([Buffer.concat([header(blob, 0), emptyStream(1_000_000)]), entry(blob, Buffer.from("after"))]),
  );
  expect([...found.keys()]).toEqual([idOf(Buffer.alloc(0)), idOf(Buffer.from("after"))]);
});

describe("deltas", () => {
  /** A delta from 10 bytes to 10 bytes that copies nine of them and adds one. */
  const next = (letter: string) => Buffer.from([10, 10, 0b10010001, 1, 9, 1, letter.charCodeAt(0)]);
  const idDelta = (base: Buffer, delta: Buffer) => entry(7, delta, Buffer.from(idOf(base), "hex"));
  const chain = Array.from({ length: 27 }, (_, n) =>
    Buffer.from(`${"-".repeat(10)}abcdefghijklmnopqrstuvwxyz`.slice(n, n + 10)),
  );

  test("a chain whose bases come later in the pack is resolved", async () => {
    const deltas = chain.slice(1).map((data, n) => idDelta(chain[n]!, next(String.fromCharCode(data.at(-1)!))));
    const found = await read(packOf([...deltas.reverse(), entry(blob, chain[0]!)]));
    expect(new Set(found.keys())).toEqual(new Set(chain.map(idOf)));
  });

  test("a delta by offset, one without a base, and one that makes too much", async () => {
    const first = entry(blob, chain[0]!);
    const byOffset = entry(offsetDelta, next("a"), Buffer.from([first.length]));
    expect((await read(packOf([first, byOffset]))).has(idOf(chain[1]!))).toBe(true);
    expect(await failure(read(packOf([idDelta(chain[5]!, next("a"))])))).toBe("malformed pack");
    const bomb = Buffer.from([10, 0x80, 0x80, 0x80, 0x80, 0x10]);
    expect(await failure(read(packOf([first, idDelta(chain[0]!, bomb)])))).toBe("repository too large");
  });

  test("other work gets its turn while a delta of many small instructions is applied", async () => {
    const count = 500_000;
    const size = Buffer.from([(count & 127) | 128, ((count >> 7) & 127) | 128, count >> 14]);
    const delta = Buffer.concat([Buffer.from([10]), size, repeated(Buffer.from([0b10010000, 1]), count)]);
    const found = read(packOf([entry(blob, chain[0]!), idDelta(chain[0]!, delta)]));
    expect(await turnsDuring(found)).toBeGreaterThan(100);
    expect((await found).has(idOf(Buffer.alloc(count, "-")))).toBe(true);
  });
});
