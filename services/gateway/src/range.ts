import type { IncomingMessage } from "node:http";
import parseRange from "range-parser";
import { Refusal } from "./answer.js";

/** A part of content, both ends included. */
export interface Part {
  readonly start: number;
  readonly end: number;
}

const longerThanNothing = /[=,]\s*-0*[1-9]/;

/** A suffix longer than the content is all of it (RFC 9110, 14.1.2); the parser takes it for one that lies outside. */
const clipped = (range: string, sizeBytes: number): string =>
  range.replace(/(?<=[=,]\s*)-(\d+)/g, (_, length: string) => `-${Math.min(Number(length), sizeBytes)}`);

/**
 * Returns the part of content that a request asks for, or undefined when the answer is all of it: no range, several
 * ranges, another unit, or a suffix of empty content, which no Content-Range can describe. Refuses a part outside with 416.
 */
export function partOf({ headers }: IncomingMessage, sizeBytes: number, lastModified?: Date): Part | undefined {
  const { range, "if-range": condition } = headers;
  if (!range || !/^bytes=/i.test(range)) return undefined;
  // A part is of use only to somebody whose other parts are of the same content.
  if (condition && condition !== lastModified?.toUTCString()) return undefined;
  if (sizeBytes === 0 && longerThanNothing.test(range)) return undefined;
  const parts = parseRange(sizeBytes, clipped(range, sizeBytes));
  if (parts === -2) return undefined;
  if (parts === -1) throw new Refusal(416, "Range Not Satisfiable", { "Content-Range": `bytes */${sizeBytes}` });
  return parts.length === 1 ? parts[0] : undefined;
}

/** The headers and the status of an answer with content, or with a part of it. */
export const partHeaders = (part: Part | undefined, sizeBytes: number): Record<string, string> => ({
  "Accept-Ranges": "bytes",
  "Content-Length": String(part ? part.end - part.start + 1 : sizeBytes),
  ...(part ? { "Content-Range": `bytes ${part.start}-${part.end}/${sizeBytes}` } : {}),
});
