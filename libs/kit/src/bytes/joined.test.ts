import { Readable } from "node:stream";
import { joined } from "./joined.js";

async function read(pieces: AsyncIterable<Buffer>): Promise<Buffer[]> {
  const read: Buffer[] = [];
  for await (const piece of pieces) read.push(piece);
  return read;
}

test("single bytes that arrived together are joined in order, and other work runs in between", async () => {
  const bytes = Buffer.from(Array.from({ length: 20_000 }, (_, i) => i % 251));
  const stream = new Readable({ read() {} });
  stream.push(bytes);
  async function* single(): AsyncGenerator<Buffer> {
    for (let piece = stream.read(1); piece; piece = stream.read(1)) yield piece;
  }
  let turns = 0;
  let next = setImmediate(function turn() {
    turns++;
    next = setImmediate(turn);
  });
  const pieces = await read(joined(stream, single()));
  clearImmediate(next);
  expect(pieces).toHaveLength(2);
  expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
  expect(turns).toBeGreaterThan(10);
});

test("large pieces stay as they are, and nothing waits for the next one", async () => {
  const large = Buffer.alloc(64 * 1024, 7);
  const stream = new Readable({ read() {} });
  const pieces = joined(stream);
  for (const piece of [large, Buffer.from("a"), large]) {
    stream.push(piece);
    expect((await pieces.next()).value).toEqual(piece);
  }
  stream.push(null);
  expect(await pieces.next()).toMatchObject({ done: true });
});

test("an error of the stream is passed on", async () => {
  const stream = new Readable({ read() {} });
  stream.push("a");
  const reading = read(joined(stream));
  stream.destroy(new Error("broken"));
  await expect(reading).rejects.toThrow("broken");
});
