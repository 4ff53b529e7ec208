import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { fixedLimit } from "@ci/kit/process/fixed-limit";

/** A body of at most this size has arrived already: node drops it after the response and keeps the connection. */
const smallBytes = 64 * 1024;
/** How much of a larger body is read and dropped after the response. */
const maxDroppedBytes = fixedLimit({
  max: 64 * 1024 * 1024,
  unit: "bytes",
  about: "body that is read and dropped after its request was refused",
  effect: "the connection is closed",
});
/** How long a client may take to send it. */
const maxDropMs = fixedLimit({
  max: 60_000,
  unit: "ms",
  about: "time to send such a body",
  effect: "the connection is closed",
});

/** Reports whether the client may still send much after the response. */
function stillSending(request: IncomingMessage): boolean {
  if (request.complete) return false;
  const { "content-length": length, "transfer-encoding": encoding } = request.headers;
  return encoding !== undefined || Number(length ?? 0) > smallBytes;
}

type Headers = Readonly<Record<string, string>>;

/** Sends a whole response, also to a client that is still sending. */
export function send(response: ServerResponse, status: number, headers: Headers, body?: string | Buffer): void {
  const length = body === undefined ? {} : { "Content-Length": Buffer.byteLength(body) };
  if (!stillSending(response.req)) {
    response.writeHead(status, { ...headers, ...length });
    response.end(body);
    return;
  }
  response.writeHead(status, { ...headers, ...length, Connection: "close" });
  // The Content-Length makes the response complete for the client. Ending it here would close the connection while the
  // client is still sending, and the response could be lost.
  if (body === undefined) response.flushHeaders();
  else response.write(body);
  dropRest(response.req, () => response.end());
}

/** Writes a piece of a response and waits for a slow client, so that it cannot fill our memory. */
export async function write(response: ServerResponse, piece: string | Uint8Array, signal: AbortSignal): Promise<void> {
  if (!response.write(piece)) await once(response, "drain", { signal });
}

const pieceBytes = 32 * 1024;

/** Like `send`, at the client's speed. `signal` ends it. */
export async function sendInPieces(
  response: ServerResponse,
  status: number,
  headers: Headers,
  body: Buffer,
  signal: AbortSignal,
): Promise<void> {
  const isSending = stillSending(response.req);
  const closing = isSending ? { Connection: "close" } : {};
  response.writeHead(status, { ...headers, ...closing, "Content-Length": body.length });
  const dropped = isSending ? new Promise<void>((resolve) => dropRest(response.req, resolve)) : undefined;
  for (let at = 0; at < body.length; at += pieceBytes)
    await write(response, body.subarray(at, at + pieceBytes), signal);
  await dropped;
  response.end();
}

/** Reads and drops the rest of the body, up to 64 MiB and a minute; beyond that closes the connection. */
function dropRest(request: IncomingMessage, then: () => void): void {
  let leftBytes = maxDroppedBytes;
  const timer = setTimeout(() => request.destroy(), maxDropMs);
  request.once("end", () => clearTimeout(timer)).once("close", () => clearTimeout(timer));
  request.once("end", then).once("close", then);
  // A parser that gets no further would pause the request again.
  request.removeAllListeners("data").on("data", (chunk: Buffer) => {
    leftBytes -= chunk.length;
    if (leftBytes < 0) request.destroy();
  });
  request.unpipe();
  request.resume();
}
