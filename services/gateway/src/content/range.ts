import type { IncomingMessage } from "node:http";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import parseRange from "range-parser";
import { Refusal } from "../http/answer.js";

/** A part of some content, both ends included. */
export interface Part {
  readonly start: number;
  readonly end: number;
}

const maxRangeLength = fixedLimit({
  max: 200,
  about: "characters of a `Range` header",
  effect: "it is ignored: the response is the whole content",
});

const hasNonEmptySuffix = /[=,]\s*-0*[1-9]/;

/** Shortens suffixes to the content. A longer one means all of it (RFC 9110, 14.1.2), but the parser rejects it. */
const clipped = (range: string, sizeBytes: number): string =>
  range.replace(/(?<=[=,]\s*)-(\d+)/g, (_, length: string) => `-${Math.min(Number(length), sizeBytes)}`);

/**
 * Returns the part of the content that a request wants. Returns undefined for all of it: no range, several ranges,
 * another unit, a long header, or a suffix of empty content, which no Content-Range can describe. Throws 416 for a part outside.
 */
export function partOf({ headers }: IncomingMessage, sizeBytes: number, lastModified?: Date): Part | undefined {
  const { range, "if-range": condition } = headers;
  if (!range || range.length > maxRangeLength || !/^bytes=/i.test(range)) return undefined;
  // The client's other parts belong to older content, so a part of this one would not fit.
  if (condition && condition !== lastModified?.toUTCString()) return undefined;
  if (sizeBytes === 0 && hasNonEmptySuffix.test(range)) return undefined;
  const parts = parseRange(sizeBytes, clipped(range, sizeBytes));
  if (parts === -2) return undefined;
  if (parts === -1) throw new Refusal(416, "Range Not Satisfiable", { "Content-Range": `bytes */${sizeBytes}` });
  return parts.length === 1 ? parts[0] : undefined;
}

export const partHeaders = (part: Part | undefined, sizeBytes: number): Record<string, string> => ({
  "Accept-Ranges": "bytes",
  "Content-Length": String(part ? part.end - part.start + 1 : sizeBytes),
  ...(part ? { "Content-Range": `bytes ${part.start}-${part.end}/${sizeBytes}` } : {}),
});
