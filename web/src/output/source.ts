import { ApiError, mayPass } from "@service-ci/client";
import { client } from "../api.js";
import { untilHidden, visible } from "../visible.js";
import { withoutTimes } from "./line-time.js";

const newline = 10;
/** How much "earlier lines" loads at once. */
const earlierBytes = 256 * 1024;

/** Returns the size of an output so far. */
export async function sizeOf(url: string, signal: AbortSignal): Promise<number> {
  const { headers } = await client.request(url, { method: "HEAD", signal });
  return Number(headers.get("content-length") ?? 0);
}

/** Text with the byte offset of its beginning, which does not count times. */
interface Text {
  readonly text: string;
  /** Whether its lines begin with their times. */
  readonly timed: boolean;
  readonly from: number;
  /** Number of the line in which the text so far begins, if that is known. */
  readonly first?: number | undefined;
}

/**
 * From where on to read an output: from a byte offset, or the lines among its last bytes. `after` is a byte offset, too,
 * for a reader who has all that there was.
 */
export type Start = { readonly from: number } | { readonly last: number } | { readonly after: number };

export interface Reading {
  readonly onConnection: (connected: boolean) => void;
  /** Whether additions come with times. */
  readonly timestamps: boolean;
  /** Called between the text so far and the additions. */
  readonly onSoFar: () => Promise<void>;
}

const utf8 = new TextEncoder();

/** Reports whether following the output may succeed. */
const mayFollow = (error: unknown): boolean => mayPass(error) || (error instanceof ApiError && error.status === 416);

/** Yields the output so far, as soon as each part of it arrives. */
async function* textSoFar(
  url: string,
  start: Exclude<Start, { after: number }>,
  signal: AbortSignal,
): AsyncGenerator<Text> {
  const range = "last" in start ? `-${start.last}` : `${start.from}-`;
  const address = "last" in start ? `${url}?first_line=true` : url;
  const { headers, body } = await client.request(address, { headers: { Range: `bytes=${range}` }, signal });
  const begin = Number(/^bytes (\d+)-/.exec(headers.get("content-range") ?? "")?.[1] ?? 0);
  const chunks = chunksOf(body);
  const head = "last" in start && begin > 0 ? await headOf(chunks) : { bytes: new Uint8Array(), skipped: 0, lines: 0 };
  const line = headers.get("x-first-line");
  const first = line === null ? undefined : Number(line) + head.lines;
  let from = begin + head.skipped;
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for await (const bytes of after(head.bytes, chunks)) {
    const text = decoder.decode(bytes, { stream: true });
    yield { text, from, timed: false, first };
    from += utf8.encode(text).length;
  }
}

async function* after(first: Uint8Array, chunks: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    if (first.length > 0) yield first;
    yield* chunks;
  } finally {
    await chunks.return(undefined);
  }
}

/** Reads until a line has begun, and returns what follows; without such a line, all from the first character on. */
async function headOf(chunks: AsyncGenerator<Uint8Array>) {
  let bytes: Uint8Array = new Uint8Array();
  for (let read = await chunks.next(); !read.done; read = await chunks.next()) {
    bytes = joined(bytes, read.value);
    const line = bytes.indexOf(newline) + 1;
    if (line > 0 && line < bytes.length) return { bytes: bytes.subarray(line), skipped: line, lines: 1 };
  }
  const skipped = characterIn(bytes);
  return { bytes: bytes.subarray(skipped), skipped, lines: 0 };
}

export function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0) return second;
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

function characterIn(bytes: Uint8Array): number {
  const begin = bytes.subarray(0, 4).findIndex((byte) => (byte & 0xc0) !== 0x80);
  return Math.max(0, begin);
}

const afterOffset = (offset: number) => (offset > 0 ? { after: String(offset) } : {});

/** Yields the text of an output, then each addition to it, while the page is visible: a browser has few connections. */
export async function* textFrom(
  url: string,
  start: Start,
  signal: AbortSignal,
  { onConnection, timestamps, onSoFar }: Reading,
): AsyncGenerator<Text> {
  let offset = "from" in start ? start.from : "after" in start ? start.after : 0;
  try {
    if (!("after" in start))
      for await (const part of textSoFar(url, start, signal)) {
        yield part;
        offset = part.from + utf8.encode(part.text).length;
      }
  } catch (error) {
    if (signal.aborted) return;
    if (!mayFollow(error)) throw error;
    onConnection(error instanceof ApiError);
  }
  await onSoFar();
  let following: AbortSignal;
  do {
    await visible(signal);
    following = untilHidden(signal);
    const waits = { waitsForServer: true, waitsForProxy: true };
    const options = { ...afterOffset(offset), timestamps, signal: following, onConnection, ...waits };
    for await (const { event, id, data } of client.follow(url, options)) {
      if (event !== "output" || typeof data !== "string") continue;
      yield { text: data, from: offset, timed: timestamps };
      offset = Number(id ?? offset);
    }
  } while (following.aborted && !signal.aborted);
}

/** Yields the times of the lines from a byte offset on. */
export async function* timesFrom(url: string, from: number, signal: AbortSignal): AsyncGenerator<string[]> {
  let inLine = false;
  const options = { ...afterOffset(from), timestamps: true, signal, waitsForServer: true };
  for await (const { event, data } of client.follow(url, options)) {
    if (event !== "output" || typeof data !== "string") continue;
    yield withoutTimes(data, inLine).times;
    inLine = !data.endsWith("\n");
  }
}

async function* chunksOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  try {
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) yield read.value;
  } finally {
    await reader?.cancel().catch(() => undefined);
  }
}

async function bytesIn(url: string, from: number, to: number, signal: AbortSignal): Promise<Uint8Array> {
  const response = await client.request(url, { headers: { Range: `bytes=${from}-${to - 1}` }, signal });
  return new Uint8Array(await response.arrayBuffer());
}

/** Returns whole lines that end at a byte offset, and their number of bytes. */
export async function linesBefore(url: string, end: number, signal: AbortSignal, maxBytes = earlierBytes) {
  const from = Math.max(0, end - maxBytes);
  const bytes = await bytesIn(url, from, end, signal);
  const start = from === 0 ? 0 : bytes.indexOf(newline) + 1;
  // A line that is longer than all that was loaded is shown in pieces.
  const isPiece = from > 0 && (start === 0 || start >= bytes.length);
  const lines = bytes.subarray(isPiece ? characterIn(bytes) : start);
  return { text: new TextDecoder().decode(lines), bytes: lines.length };
}

/** The whole output so far, in pieces. */
export async function* piecesOf(url: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const { body } = await client.request(url, { signal });
  yield* chunksOf(body);
}

/** Returns the byte offset of a line; undefined if the output has fewer lines. */
export async function offsetOfLine(url: string, line: number, signal: AbortSignal): Promise<number | undefined> {
  let left = line - 1;
  let offset = 0;
  if (left === 0) return 0;
  for await (const bytes of piecesOf(url, signal)) {
    for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1))
      if (--left === 0) return offset + at + 1;
    offset += bytes.length;
  }
  return undefined;
}
