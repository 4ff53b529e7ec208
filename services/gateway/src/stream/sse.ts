import type { IncomingMessage } from "node:http";
import { z } from "zod";
import type { Exchange } from "../http/exchange.js";
import { write } from "../http/send.js";

/** Short enough for proxies and browsers not to consider a quiet stream dead. */
const heartbeatMs = 15_000;

/** An event of a stream; without data it only tells the client its position. */
export interface Sse {
  readonly event?: string;
  readonly id?: number;
  /** Text without line breaks, such as JSON. */
  readonly data?: string;
  /** The next event continues the data of this one. */
  readonly more?: boolean;
  /** The data continues that of the previous event. */
  readonly rest?: boolean;
  /** A line that clients ignore. */
  readonly comment?: string;
}

export const position = z.string().regex(/^\d+$/);

export const streamHeaders = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-cache",
  // Tells nginx not to buffer the stream.
  "X-Accel-Buffering": "no",
};

/** Returns the position up to which a client has read; undefined without one, 0 if it is not a number. */
export function lastEventId({ headers }: Pick<IncomingMessage, "headers">): number | undefined {
  const id = headers["last-event-id"];
  if (id === undefined || id === "") return undefined;
  const position = typeof id === "string" && /^\d+$/.test(id) ? Number(id) : 0;
  return Math.min(position, Number.MAX_SAFE_INTEGER);
}

function textOf(sse: Sse): string {
  const given = (["event", "id", "data"] as const).filter((field) => sse[field] !== undefined);
  const comment = sse.comment === undefined ? [] : [`: ${sse.comment}`];
  const lines = sse.rest ? [sse.data] : [...comment, ...given.map((field) => `${field}: ${sse[field]}`)];
  return `${lines.join("\n")}${sse.more ? "" : "\n\n"}`;
}

/**
 * Sends batches of events as they come, at the client's speed, until the last one or `signal`. If the gateway is `stopping`, the
 * stream ends between two batches, and clients reconnect for the next one.
 */
export async function sendEvents(
  { response }: Pick<Exchange, "response">,
  batches: AsyncIterable<readonly Sse[]>,
  { signal, stopping }: { signal: AbortSignal; stopping: AbortSignal },
  beatMs = heartbeatMs,
): Promise<void> {
  response.writeHead(200, streamHeaders);
  response.flushHeaders();
  let isWithinEvent = false;
  const heartbeat = setInterval(() => {
    if (!isWithinEvent && !response.writableNeedDrain) response.write(":\n\n");
  }, beatMs);
  try {
    for await (const events of batches) {
      heartbeat.refresh();
      isWithinEvent = events.at(-1)?.more ?? false;
      await write(response, events.map(textOf).join(""), signal);
    }
  } catch (error) {
    if (!stopping.aborted) throw error;
  } finally {
    clearInterval(heartbeat);
  }
  response.end();
}
