/** Returns how many bytes at the start continue a UTF-8 character (10xxxxxx). */
export function continuationBytes(bytes: Buffer): number {
  let count = 0;
  while (count < bytes.length && (bytes[count]! & 0xc0) === 0x80) count++;
  return count;
}

/** Returns how many bytes there are without a character that is cut at the end; all if there is nothing else. */
export function completeBytes(bytes: Buffer): number {
  let lead = bytes.length - 1;
  while (lead > 0 && lead > bytes.length - 4 && (bytes[lead]! & 0xc0) === 0x80) lead--;
  const first = bytes[lead] ?? 0;
  const length = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  return lead > 0 && lead + length > bytes.length ? lead : bytes.length;
}

/** Returns the last bytes of a text, cut at a character border; undefined for an empty text. */
export function lastBytes(text: string, bytes: number): string | undefined {
  // A unit of a string has at most three bytes, so most texts need not be encoded.
  if (text.length * 3 <= bytes) return text || undefined;
  const all = Buffer.from(text);
  if (all.length === 0) return undefined;
  const last = all.subarray(Math.max(0, all.length - bytes));
  return last.subarray(continuationBytes(last)).toString();
}
