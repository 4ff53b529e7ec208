import type { IncomingHttpHeaders } from "node:http";
import { aServer, type } from "./_server.js";

/** How a server responds to one request. */
export interface Behaviour {
  readonly content: Buffer;
  /** Without it, the response has no entity tag. */
  readonly etag?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Closes the connection after this many bytes. */
  readonly breaksAfter?: number;
  /** Stalls after this many bytes. */
  readonly silentAfter?: number;
  /** Whether the server honours Range. It always announces support. */
  readonly ranges?: boolean;
  /** The Content-Range of a partial response. */
  readonly contentRange?: string;
}

/** Serves content, or the rest of it, with one behaviour per request; the last one repeats. */
export async function aBreakingServer(...behaviours: Behaviour[]) {
  const requests: IncomingHttpHeaders[] = [];
  const server = await aServer((request, response) => {
    const behaviour = behaviours[Math.min(requests.length, behaviours.length - 1)]!;
    requests.push(request.headers);
    const { content, etag, ranges = true, breaksAfter, silentAfter } = behaviour;
    const [, from] = /^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.map(Number) ?? [];
    const partial =
      ranges && from !== undefined && request.headers["if-range"] === (etag ?? behaviour.headers?.["Last-Modified"]);
    const bytes = content.subarray(partial ? from : 0);
    const range = behaviour.contentRange ?? `bytes ${from}-${content.length - 1}/${content.length}`;
    response.writeHead(partial ? 206 : 200, {
      ...type,
      ...{ "Accept-Ranges": "bytes", "Content-Length": bytes.length },
      ...(etag ? { ETag: etag } : {}),
      ...(partial ? { "Content-Range": range } : {}),
      ...behaviour.headers,
    });
    if (breaksAfter !== undefined) response.write(bytes.subarray(0, breaksAfter), () => response.destroy());
    else if (silentAfter !== undefined) response.write(bytes.subarray(0, silentAfter));
    else response.end(bytes);
  });
  return {
    ...server,
    /** Returns the Range and If-Range of each request. */
    ranges: () => requests.map(({ range, "if-range": ifRange }) => [range, ifRange]),
  };
}
