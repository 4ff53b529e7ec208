import type { ServerResponse } from "node:http";
import type { BuildRef, ReadOutputResponse } from "@ci/proto/builds/v1/builds";
import { z } from "zod";
import { disposition } from "../content/disposition.js";
import { wantsFile } from "../content/download.js";
import { partHeaders, partOf } from "../content/range.js";
import { sendContent } from "../content/send-content.js";
import type { Context } from "../context.js";
import { disconnected, type Exchange } from "../http/exchange.js";
import type { Reply } from "../http/row.js";
import { contentPolicy } from "../http/security.js";
import { send } from "../http/send.js";
import { opened, resumed } from "./resume.js";
import { lastEventId, position, type Sse, sendEvents, streamHeaders } from "./sse.js";
import { watchToken } from "./watch-token.js";

/** The output of a build, or of one of its jobs. */
export interface Output {
  readonly ref: BuildRef;
  readonly job?: string;
  /** Whether each line begins with its time. */
  readonly timestamps?: boolean;
  /** Whether the response says in which line the text begins. */
  readonly findsLine?: boolean;
}

export const outputQuery = {
  timestamps: z
    .enum(["true", "false"], { error: "must be true or false" })
    .optional()
    .describe(
      "`true`: each line begins with the time when it was printed, such as `2026-03-01T12:00:00.000Z`, and a blank. Ids of " +
        "events do not count these. A text with times has no `Content-Length` and no parts: `Range` is ignored",
    ),
};

export const jobOutputQuery = {
  ...outputQuery,
  first_line: z
    .enum(["true", "false"], { error: "must be true or false" })
    .optional()
    .describe("`true`: `X-First-Line` of the response says in which line the text begins, counted from 1"),
};

export const wantsStream = (exchange: Pick<Exchange, "request" | "url">): boolean =>
  !wantsFile(exchange) &&
  (exchange.request.headers.accept ?? "").split(",").some((range) => /^text\/event-stream\s*(;|$)/i.test(range.trim()));

/** Says in a header in which line a text begins. */
async function* notingFirstLine(
  messages: AsyncIterable<ReadOutputResponse>,
  response: ServerResponse,
): AsyncGenerator<ReadOutputResponse> {
  for await (const message of messages) {
    if (message.firstLine !== undefined) response.setHeader("X-First-Line", message.firstLine);
    yield message;
  }
}

/** Sends the output so far, or a part of it; clients save it as `file`. */
export const outputText =
  ({ ref, job, timestamps, findsLine }: Output, sizeBytes: number, file: string): Reply =>
  async (exchange, ctx) => {
    const { request, response } = exchange;
    response.appendHeader("Vary", "Accept");
    const part = timestamps ? undefined : partOf(request, sizeBytes);
    const headers = {
      "Content-Type": "text/plain; charset=utf-8",
      "Content-Disposition": disposition(file, wantsFile(exchange) ? "attachment" : "inline"),
      "Content-Security-Policy": contentPolicy,
      ...(timestamps ? {} : partHeaders(part, sizeBytes)),
    };
    const status = part ? 206 : 200;
    if (request.method === "HEAD" || sizeBytes === 0) return send(response, status, headers);
    const { start, end } = part ?? { start: 0, end: sizeBytes - 1 };
    const wanted = { ref, job, start, end, timestamps, findsLine };
    return sendContent(ctx, exchange, { status, headers }, (options) =>
      notingFirstLine(ctx.builds.readOutput(wanted, options), response),
    );
  };

const end = z.object({ event: z.literal("end"), data: z.string().regex(/^{"status":"[a-z_]+"}$/) });
/** An event of the stream: a piece of text as a JSON string with the offset after it, or the final status. */
export const outputEvent = z.union([
  z.object({ event: z.literal("output"), id: position, data: z.string().regex(/^".*"$/) }),
  end,
  // `end` has no id, so clients keep the last one.
  end.extend({ id: position }),
]);

/** Opens the output as it grows. Resolves once it is known to exist, to the rest of it and the final status. */
async function follow(
  builds: Context["builds"],
  { ref, job, timestamps }: Output,
  from: number,
  signal: AbortSignal,
): Promise<AsyncIterable<readonly Sse[]>> {
  let offset = from;
  const watch = () => builds.watchOutput({ ref, job, offset, timestamps, acceptsEndOfPiece: true }, { signal });
  const messages = await opened(resumed(watch, signal));
  return (async function* () {
    for await (const { item, endOfPiece } of messages) {
      const end = item?.$case === "end" ? item.value : endOfPiece;
      const events: Sse[] = [];
      if (item?.$case === "piece") {
        offset = item.value.offset;
        events.push({ event: "output", id: offset, data: JSON.stringify(item.value.text) });
      }
      if (item?.$case === "waiting") events.push({ comment: item.value.text });
      if (end) events.push({ event: "end", data: JSON.stringify({ status: end.status }) });
      if (events.length > 0) yield events;
    }
  })();
}

/** Streams the output as server-sent events until the final status, or until the token ends. */
export const outputStream =
  (
    ctx: Pick<Context, "builds" | "openStreams" | "signal" | "sessions" | "config">,
    output: Output,
    beatMs?: number,
  ): Reply =>
  async (exchange) => {
    const { builds, openStreams, signal: stopping } = ctx;
    const { request, response } = exchange;
    response.appendHeader("Vary", "Accept");
    using _stream = openStreams.add(exchange);
    const ended = new AbortController();
    const signal = AbortSignal.any([disconnected(exchange, stopping), ended.signal]);
    await openStreams.turn();
    const events = await follow(builds, output, lastEventId(request) ?? 0, signal);
    if (request.method === "HEAD") return send(response, 200, streamHeaders);
    using _token = watchToken(ctx, exchange, ended);
    await sendEvents(exchange, events, { signal, stopping }, beatMs).catch((error) => {
      throw ended.signal.aborted ? ended.signal.reason : error;
    });
  };
