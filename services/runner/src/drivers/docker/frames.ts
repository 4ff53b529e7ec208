const headerBytes = 8;

/** Strips the frames from a container's output: eight bytes before each piece, the last four being its length. */
export async function* payloads(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let header = Buffer.alloc(0);
  let left = 0;
  for await (const bytes of stream) {
    let rest = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    while (rest.length > 0) {
      if (left === 0) {
        const missing = headerBytes - header.length;
        header = Buffer.concat([header, rest.subarray(0, missing)]);
        rest = rest.subarray(missing);
        if (header.length < headerBytes) break;
        left = header.readUInt32BE(4);
        header = Buffer.alloc(0);
        continue;
      }
      const piece = rest.subarray(0, left);
      yield piece;
      left -= piece.length;
      rest = rest.subarray(piece.length);
    }
  }
}
