import type { Readable } from "node:stream";
import { pacer } from "../turns/pacer.js";
import { Pieces } from "./pieces.js";

const joinedBytes = 16 * 1024;
/** Node needs about a millisecond for so many. */
const piecesAtOnce = 1_000;

/**
 * Yields the bytes of a stream whose sender may send single ones: joins those that arrive together, and lets other work of
 * the process run in between. `pieces` reads the stream.
 */
export async function* joined(stream: Readable, pieces: AsyncIterable<Buffer> = stream): AsyncGenerator<Buffer> {
  const pause = pacer(piecesAtOnce);
  let small = new Pieces();
  for await (const piece of pieces) {
    if (small.sizeBytes === 0 && piece.length >= joinedBytes) {
      yield piece;
      continue;
    }
    small.add(piece);
    if (small.sizeBytes < joinedBytes) {
      // Node passes on each piece of a request before it parses the next one, so the rest is there a turn later.
      await (stream.readableLength > 0 ? pause(1) : new Promise((resolve) => setImmediate(resolve)));
      if (stream.readableLength > 0) continue;
    }
    yield small.all();
    small = new Pieces();
  }
}
