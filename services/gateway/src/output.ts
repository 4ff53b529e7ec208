import type { BuildRef, BuildServiceClient } from "@ci/proto/builds/v1/builds";
import type { Context } from "./context.js";
import { type Exchange, gone } from "./exchange.js";
import { partHeaders, partOf } from "./range.js";
import type { Reply } from "./row.js";
import { send } from "./send.js";
import { opened, write } from "./stream.js";

/** Whose output: a build's, or that of one of its jobs. */
export interface Output {
  readonly ref: BuildRef;
  readonly job?: string;
  /** How much of it there is by now. */
  readonly sizeBytes: number;
}

/** Keeps proxies and browsers from taking a quiet stream for a dead one. */
const heartbeatMs = 15_000;

/** Whether the client wants the text as it arrives. */
export const wantsStream = ({ request }: Pick<Exchange, "request">): boolean =>
  (request.headers.accept ?? "").split(",").some((range) => /^text\/event-stream\s*(;|$)/i.test(range.trim()));

/** Answers the text so far, or a part of it. */
export const outputText =
  (builds: BuildServiceClient, { ref, job, sizeBytes }: Output): Reply =>
  async (exchange) => {
    const { request, response } = exchange;
    response.appendHeader("Vary", "Accept");
    const part = partOf(request, sizeBytes);
    const headers = {
      "Content-Type": "text/plain; charset=utf-8",
      "X-Content-Type-Options": "nosniff",
      ...partHeaders(part, sizeBytes),
    };
    const status = part ? 206 : 200;
    if (request.method === "HEAD" || sizeBytes === 0) return send(response, status, headers);
    const signal = gone(exchange);
    const { start, end } = part ?? { start: 0, end: sizeBytes - 1 };
    const chunks = await opened(builds.readOutput({ ref, job, start, end }, { signal }));
    response.writeHead(status, headers);
    for await (const { chunk } of chunks) await write(response, chunk, signal);
    response.end();
  };

/** The offset a client has read up to; anything that is no number means the beginning. */
function lastEventId({ headers }: Exchange["request"]): number {
  const id = headers["last-event-id"];
  const offset = typeof id === "string" && /^\d+$/.test(id) ? Number(id) : 0;
  return Math.min(offset, Number.MAX_SAFE_INTEGER);
}

const streamHeaders = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-cache",
  // Tells nginx not to collect the stream before passing it on.
  "X-Accel-Buffering": "no",
};

/** Answers the text as it arrives, as server-sent events, until the final status. */
export const outputStream =
  (
    { builds, signal: stopping }: Pick<Context, "builds" | "signal">,
    { ref, job }: Output,
    beatMs = heartbeatMs,
  ): Reply =>
  async (exchange) => {
    const { request, response } = exchange;
    response.appendHeader("Vary", "Accept");
    if (request.method === "HEAD") return send(response, 200, streamHeaders);
    const signal = gone(exchange, stopping);
    response.writeHead(200, streamHeaders);
    response.flushHeaders();
    const heartbeat = setInterval(() => {
      if (!response.writableNeedDrain) response.write(":\n\n");
    }, beatMs);
    try {
      for await (const { item } of builds.watchOutput({ ref, job, offset: lastEventId(request) }, { signal })) {
        heartbeat.refresh();
        if (item?.$case === "piece")
          await write(
            response,
            `event: output\nid: ${item.value.offset}\ndata: ${JSON.stringify(item.value.text)}\n\n`,
            signal,
          );
        if (item?.$case === "end")
          await write(response, `event: end\ndata: ${JSON.stringify({ status: item.value.status })}\n\n`, signal);
      }
    } finally {
      clearInterval(heartbeat);
    }
    response.end();
  };
