import type { IncomingHttpHeaders } from "node:http";
import { aServer, type } from "./_server.js";

/** How a server gives its content. */
export interface Giving {
  readonly content: Buffer;
  /** Undefined: it gives no tag. */
  readonly etag?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** It hangs up after so many bytes of an answer. */
  readonly breaksAfter?: number;
  /** It says nothing more after so many bytes of an answer. */
  readonly silentAfter?: number;
  /** Whether it understands Range; it says so in any case. */
  readonly ranges?: boolean;
  /** What it says of the part that it gives. */
  readonly contentRange?: string;
}

/** A server that gives its content, or the rest of it, as it is told for each request; the last way stays. */
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
    /** Of each request what it asked for. */
    asked: () => asked.map(({ range, "if-range": ifRange }) => [range, ifRange]),
  };
}
