import type { IncomingMessage, ServerResponse } from "node:http";

/** A body of this size is on its way already; node drops it by itself after the answer and keeps the connection. */
const smallBytes = 64 * 1024;
/** What is read and dropped of a larger request that is answered before its end. */
const droppedBytes = 64 * 1024 * 1024;

/** Whether the client may go on sending for long after this request has been answered. */
function stillSending(request: IncomingMessage): boolean {
  if (request.complete) return false;
  const { "content-length": length, "transfer-encoding": encoding } = request.headers;
  return encoding !== undefined || Number(length ?? 0) > smallBytes;
}

/** Writes a whole answer, also to a client that is still sending. */
export function send(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body?: string | Buffer,
): void {
  const length = body === undefined ? {} : { "Content-Length": Buffer.byteLength(body) };
  if (!stillSending(response.req)) {
    response.writeHead(status, { ...headers, ...length });
    response.end(body);
    return;
  }
  response.writeHead(status, { ...headers, ...length, Connection: "close" });
  // With its length the answer is whole for the client. Were it ended here, the connection would be closed while the
  // client is still sending, and the answer might be lost.
  if (body === undefined) response.flushHeaders();
  else response.write(body);
  dropRest(response.req, () => response.end());
}

/** Reads and drops what still comes, up to 64 MiB; beyond that the connection is closed. */
function dropRest(request: IncomingMessage, then: () => void): void {
  let leftBytes = droppedBytes;
  request.once("end", then).once("close", then);
  request.on("data", (chunk: Buffer) => {
    leftBytes -= chunk.length;
    if (leftBytes < 0) request.destroy();
  });
  request.unpipe();
  request.resume();
}
