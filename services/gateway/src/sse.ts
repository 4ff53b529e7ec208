import type { IncomingMessage } from "node:http";
import { z } from "zod";
import type { Exchange } from "./exchange.js";
import { write } from "./stream.js";

/** Keeps proxies and browsers from taking a quiet stream for a dead one. */
const heartbeatMs = 15_000;

/** One of the events of a stream; without data it only says how far the client is. */
export interface Sse {
  readonly event?: string;
  readonly id?: number;
  /** Text without line breaks, such as JSON. */
  readonly data?: string;
  /** A line for people, which clients skip. */
  readonly comment?: string;
}

/** How a reader sees `id`, for the description of streams. */
export const position = z.string().regex(/^\d+$/);

/** What goes before a stream. */
export const streamHeaders = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-cache",
  // Tells nginx not to collect the stream before passing it on.
  "X-Accel-Buffering": "no",
};

/** The position that a client has read up to, undefined for none; anything that is no number means the beginning. */
export function lastEventId({ headers }: Pick<IncomingMessage, "headers">): number | undefined {
  const id = headers["last-event-id"];
  if (id === undefined || id === "") return undefined;
  const position = typeof id === "string" && /^\d+$/.test(id) ? Number(id) : 0;
  return Math.min(position, Number.MAX_SAFE_INTEGER);
}

function textOf(sse: Sse): string {
  const given = (["event", "id", "data"] as const).filter((field) => sse[field] !== undefined);
  const comment = sse.comment === undefined ? "" : `: ${sse.comment}\n`;
  return `${comment}${given.map((field) => `${field}: ${sse[field]}\n`).join("")}\n`;
}

/**
 * Answers events as they come until `signal`, and ends after the last. A client that reads slowly makes them wait. When
 * the gateway is `stopping`, the stream ends between two events: clients come back for the next one by themselves.
 */
export async function sendEvents(
  { response }: Pick<Exchange, "response">,
  events: AsyncIterable<Sse>,
  { signal, stopping }: { signal: AbortSignal; stopping: AbortSignal },
  beatMs = heartbeatMs,
): Promise<void> {
  response.writeHead(200, streamHeaders);
  response.flushHeaders();
  const heartbeat = setInterval(() => {
    if (!response.writableNeedDrain) response.write(":\n\n");
  }, beatMs);
  try {
    for await (const event of events) {
      heartbeat.refresh();
      await write(response, textOf(event), signal);
    }
  } catch (error) {
    if (!stopping.aborted) throw error;
  } finally {
    clearInterval(heartbeat);
  }
  response.end();
}
