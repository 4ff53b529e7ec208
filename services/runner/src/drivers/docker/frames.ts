import { HostTrouble } from "../../endings/errors.js";

const headerBytes = 8;
const maxPieceBytes = 64 * 1024;

function* partsOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += maxPieceBytes) yield bytes.subarray(from, from + maxPieceBytes);
}

/**
 * Strips the frames from a container's output: eight bytes before each piece, the last four being its length. Joins what
 * arrives together: a container may make a frame of each byte. Throws HostTrouble if the last frame is incomplete.
 */
export async function* payloads(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const header = Buffer.alloc(headerBytes);
  let read = 0;
  let left = 0;
  for await (const bytes of stream)
    for (const part of partsOf(bytes)) {
      const joined = Buffer.allocUnsafe(part.length);
      let filled = 0;
      for (let at = 0; at < part.length; ) {
        if (left === 0) {
          header[read++] = part[at++]!;
          if (read < headerBytes) continue;
          left = header.readUInt32BE(4);
          read = 0;
          continue;
        }
        const piece = part.subarray(at, at + left);
        joined.set(piece, filled);
        filled += piece.length;
        at += piece.length;
        left -= piece.length;
      }
      if (filled > 0) yield joined.subarray(0, filled);
    }
  if (read > 0 || left > 0) throw new HostTrouble("The output of the container broke off");
}
