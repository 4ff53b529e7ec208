import { pieceEnd } from "./characters.js";

test("pieces have at most the given size, split no character, and make up the text", () => {
  const text = "aé€😀".repeat(20);
  const bytes = Buffer.from(text);
  for (let maxBytes = 4; maxBytes < 12; maxBytes++) {
    const pieces: Buffer[] = [];
    for (let at = 0; at < bytes.length; ) {
      const end = pieceEnd(bytes, at, maxBytes);
      pieces.push(bytes.subarray(at, end));
      at = end;
    }
    expect(pieces.map(String).join("")).toBe(text);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(maxBytes);
  }
});
