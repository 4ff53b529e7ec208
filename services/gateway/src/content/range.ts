import type { IncomingMessage } from "node:http";
import parseRange from "range-parser";
import { Refusal } from "../http/answer.js";

/** A part of some content, both ends included. */
export interface Part {
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the part of the content that a request wants; undefined for all of it, also if the header is malformed or
 * names several ranges. Throws 416 for a part outside the content.
 */
export function partOf({ headers }: IncomingMessage, sizeBytes: number, lastModified?: Date): Part | undefined {
  const { range, "if-range": condition } = headers;
  if (!range) return undefined;
  // The client's other parts are of older content: a part would not fit them.
  if (condition && condition !== lastModified?.toUTCString()) return undefined;
  const parts = parseRange(sizeBytes, range);
  if (parts === -2) return undefined;
  if (parts === -1) throw new Refusal(416, "Range Not Satisfiable", { "Content-Range": `bytes */${sizeBytes}` });
  const [part, ...more] = parts;
  return parts.type === "bytes" && part && more.length === 0 ? part : undefined;
}

/** The headers of an answer with content or with a part of it. */
export const partHeaders = (part: Part | undefined, sizeBytes: number): Record<string, string> => ({
  "Accept-Ranges": "bytes",
  "Content-Length": String(part ? part.end - part.start + 1 : sizeBytes),
  ...(part ? { "Content-Range": `bytes ${part.start}-${part.end}/${sizeBytes}` } : {}),
});
