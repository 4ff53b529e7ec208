const maxRestBytes = 16;

function begun(bytes: Buffer, mark: Buffer): number {
  for (let length = Math.min(bytes.length, mark.length - 1); length > 0; length--)
    if (bytes.subarray(-length).equals(mark.subarray(0, length))) return length;
  return 0;
}

/** Passes on all before the mark and returns the line after it. Holds back only what may be part of the mark. */
export async function untilMark(
  text: string,
  pieces: AsyncIterable<Uint8Array>,
  onOutput: (bytes: Uint8Array) => Promise<void>,
): Promise<string | undefined> {
  const mark = Buffer.from(text);
  let held = Buffer.alloc(0);
  let rest: Buffer | undefined;
  for await (const piece of pieces) {
    if (rest) rest = Buffer.concat([rest, piece]);
    else {
      const bytes = Buffer.concat([held, piece]);
      const at = bytes.indexOf(mark);
      const end = at < 0 ? bytes.length - begun(bytes, mark) : at;
      if (end > 0) await onOutput(bytes.subarray(0, end));
      held = bytes.subarray(end);
      if (at >= 0) rest = bytes.subarray(at + mark.length);
    }
    if (rest && (rest.includes("\n") || rest.length > maxRestBytes)) return rest.toString();
  }
  if (!rest && held.length > 0) await onOutput(held);
  return rest?.toString();
}
