import { HostTrouble } from "../../endings/errors.js";
import { payloads } from "./frames.js";

const frame = (text: string): Buffer => {
  const header = Buffer.alloc(8);
  header[0] = 1;
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
};

async function piecesOf(...chunks: Uint8Array[]): Promise<string[]> {
  const found: string[] = [];
  async function* stream() {
    yield* chunks;
  }
  for await (const piece of payloads(stream())) found.push(piece.toString());
  return found;
}

const text = ["a", "", "bc", "def\n"].map(frame);

test.each([1, 3, 8, 11, 1_000])("frames in chunks of %d bytes give the output", async (size) => {
  const all = Buffer.concat(text);
  const chunks = Array.from({ length: Math.ceil(all.length / size) }, (_, nth) =>
    all.subarray(nth * size, (nth + 1) * size),
  );
  expect((await piecesOf(...chunks)).join("")).toBe("abcdef\n");
});

test.each([3, 9])("output that breaks off after byte %d of a frame is not all", async (length) => {
  await expect(piecesOf(frame("whole"), frame("part").subarray(0, length))).rejects.toBeInstanceOf(HostTrouble);
});

test("frames that arrive together are few pieces, of 64 KiB at most", async () => {
  const small = Buffer.concat(Array.from({ length: 20_000 }, () => frame("x")));
  expect(await piecesOf(small)).toHaveLength(3);
  const large = await piecesOf(frame("x".repeat(200 * 1024)));
  expect(large.map(({ length }) => length)).toEqual([65_528, 65_536, 65_536, 8_200]);
});
