import { Pieces } from "./pieces.js";

test("pieces of a body are joined in order", () => {
  const pieces = new Pieces();
  const text = "0123456789".repeat(100);
  for (const one of text) pieces.add(Buffer.from(one));
  expect([pieces.all().toString(), pieces.sizeBytes]).toEqual([text, 1_000]);
});

test("many small pieces are not kept, only what they contain", () => {
  const pieces = new Pieces();
  const small = Array.from({ length: 1_024 }, () => Buffer.from("a"));
  for (const piece of small) pieces.add(piece);
  for (const piece of small) piece.write("b");
  expect(pieces.all().toString()).toBe("a".repeat(1_024));
});
