import type { IncomingMessage } from "node:http";
import parseRange from "range-parser";
import { Refusal } from "../http/answer.js";

/** A part of content, both ends included. */
export interface Part {
  readonly start: number;
  readonly end: number;
}

/**
 * The part of content that a request asks for; nothing when it asks for all of it, also by several ranges at once
 * or by a header that is none. Refuses with 416 a part that lies outside.
 */
export function partOf({ headers }: IncomingMessage, sizeBytes: number, lastModified?: Date): Part | undefined {
  const { range, "if-range": condition } = headers;
  if (!range) return undefined;
  // A part is of use only to somebody whose other parts are of the same content.
  if (condition && condition !== lastModified?.toUTCString()) return undefined;
  const parts = parseRange(sizeBytes, range);
  if (parts === -2) return undefined;
  if (parts === -1) throw new Refusal(416, "Range Not Satisfiable", { "Content-Range": `bytes */${sizeBytes}` });
  const [part, ...more] = parts;
  return parts.type === "bytes" && part && more.length === 0 ? part : undefined;
}

/** The headers and the status of an answer with content, or with a part of it. */
export const partHeaders = (part: Part | undefined, sizeBytes: number): Record<string, string> => ({
  "Accept-Ranges": "bytes",
  "Content-Length": String(part ? part.end - part.start + 1 : sizeBytes),
  ...(part ? { "Content-Range": `bytes ${part.start}-${part.end}/${sizeBytes}` } : {}),
});
