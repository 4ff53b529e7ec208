import type { IncomingHttpHeaders } from "node:http";
import { aServer, type } from "./_server.js";

/** How a server responds to one request. */
export interface Giving {
  readonly content: Buffer;
  /** Undefined: no entity tag. */
  readonly etag?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Close the connection after this many bytes. */
  readonly breaksAfter?: number;
  /** Stall after this many bytes. */
  readonly silentAfter?: number;
  /** Whether it honours Range. It announces support in any case. */
  readonly ranges?: boolean;
  /** The Content-Range of a partial response. */
  readonly contentRange?: string;
}

/** Serves content, or the rest of it, with one behaviour per request; the last one repeats. */
export async function aBreakingServer(...ways: Giving[]) {
  const asked: IncomingHttpHeaders[] = [];
  const server = await aServer((request, response) => {
    const way = ways[Math.min(asked.length, ways.length - 1)]!;
    asked.push(request.headers);
    const { content, etag, ranges = true, breaksAfter, silentAfter } = way;
    const [, from] = /^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.map(Number) ?? [];
    const partial =
      ranges && from !== undefined && request.headers["if-range"] === (etag ?? way.headers?.["Last-Modified"]);
    const bytes = content.subarray(partial ? from : 0);
    const range = way.contentRange ?? `bytes ${from}-${content.length - 1}/${content.length}`;
    response.writeHead(partial ? 206 : 200, {
      ...type,
      ...{ "Accept-Ranges": "bytes", "Content-Length": bytes.length },
      ...(etag ? { ETag: etag } : {}),
      ...(partial ? { "Content-Range": range } : {}),
      ...way.headers,
    });
    if (breaksAfter !== undefined) response.write(bytes.subarray(0, breaksAfter), () => response.destroy());
    else if (silentAfter !== undefined) response.write(bytes.subarray(0, silentAfter));
    else response.end(bytes);
  });
  return {
    ...server,
    /** The range of each request. */
    asked: () => asked.map(({ range, "if-range": ifRange }) => [range, ifRange]),
  };
}
