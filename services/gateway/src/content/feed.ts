import type { IncomingMessage } from "node:http";
import type { Writable } from "node:stream";
import { Pieces } from "@ci/kit/bytes/pieces";

/** The parser keeps each chunk of a field, and clients may send single bytes. */
const joinedBytes = 16 * 1024;

export interface Feed {
  /** Passes on what has arrived. */
  flush(): void;
  stop(): void;
}

/** Pipes a body to a parser, in chunks of at least 16 KiB. */
export function feed(request: IncomingMessage, parser: Writable): Feed {
  let pieces = new Pieces();
  const flush = () => {
    const bytes = pieces.all();
    pieces = new Pieces();
    if (bytes.length > 0 && !parser.write(bytes)) request.pause();
  };
  const take = (chunk: Buffer) => {
    pieces.add(chunk);
    if (pieces.sizeBytes >= joinedBytes) flush();
  };
  const end = () => {
    flush();
    parser.end();
  };
  const resume = () => void request.resume();
  request.on("data", take).once("end", end);
  parser.on("drain", resume);
  const stop = () => {
    request.off("data", take).off("end", end).pause();
    parser.off("drain", resume);
  };
  return { flush, stop };
}
