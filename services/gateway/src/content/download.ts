import type { IncomingMessage } from "node:http";
import { type Exchange, queryOf } from "../http/exchange.js";
import { varyByAccept } from "../http/negotiate.js";
import type { Reply } from "../http/row.js";
import { contentPolicy } from "../http/security.js";
import { send } from "../http/send.js";
import { disposition } from "./disposition.js";
import { partHeaders, partOf } from "./range.js";
import { sendContent } from "./send-content.js";

export interface Content {
  readonly type: string;
  /** Name of the record; clients save it under this name. */
  readonly name: string;
  readonly sizeBytes: number;
  readonly lastModified: Date;
  /** Reads from `start` to `end`, both included. */
  readonly read: (
    part: { start: number; end: number },
    options: { signal: AbortSignal },
  ) => AsyncIterable<{ readonly chunk: Buffer }>;
}

const canonical = (type: string): string => type.replace(/\s+/g, "").toLowerCase();

/** Reports whether the query has `download`, with any value but `false`. */
export function wantsFile(exchange: Pick<Exchange, "url">): boolean {
  const download = queryOf(exchange).get("download");
  return download !== null && download !== "false";
}

/** Reports whether a request wants a file, or accepts exactly this type; case and spaces do not matter. */
export const wantsContent = (exchange: Pick<Exchange, "request" | "url">, type: string): boolean =>
  wantsFile(exchange) || canonical(exchange.request.headers.accept ?? "") === canonical(type);

/** Reports whether the client already has this content. HTTP dates have no milliseconds. */
function unchanged({ headers }: IncomingMessage, lastModified: Date): boolean {
  const since = Date.parse(headers["if-modified-since"] ?? "");
  return !headers["if-none-match"] && Math.floor(lastModified.getTime() / 1_000) * 1_000 <= since;
}

/** Sends content: all of it, a part, or 304 if it has not changed. */
export const download =
  ({ type, name, sizeBytes, lastModified, read }: Content): Reply =>
  async (exchange, ctx) => {
    const { request, response } = exchange;
    const about = { "Last-Modified": lastModified.toUTCString() };
    varyByAccept(response);
    if (unchanged(request, lastModified)) return send(response, 304, about);
    const part = partOf(request, sizeBytes, lastModified);
    const headers = {
      ...about,
      "Content-Type": type,
      "Content-Disposition": disposition(name),
      "Content-Security-Policy": contentPolicy,
      ...partHeaders(part, sizeBytes),
    };
    const status = part ? 206 : 200;
    if (request.method === "HEAD" || sizeBytes === 0) return send(response, status, headers);
    const wanted = part ?? { start: 0, end: sizeBytes - 1 };
    return sendContent(ctx, exchange, { status, headers }, (options) => read(wanted, options));
  };
