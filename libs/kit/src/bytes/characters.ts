/** Returns where the longest piece of UTF-8 from `start` ends that has at most `maxBytes` and splits no character. */
export function pieceEnd(text: Buffer, start: number, maxBytes: number): number {
  let end = Math.min(start + maxBytes, text.length);
  // Bytes 10xxxxxx continue a character.
  while (end > start && end < text.length && (text[end]! & 0xc0) === 0x80) end--;
  return end;
}
