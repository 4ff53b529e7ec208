import type { WatchEventsResponse } from "@ci/proto/webhooks/v1/webhooks";
import { sessionOf } from "../auth/authenticate.js";
import type { Context } from "../context.js";
import { type Exchange, gone } from "../http/exchange.js";
import type { Reply } from "../http/row.js";
import { send } from "../http/send.js";
import { lastEventId, type Sse, sendEvents, streamHeaders } from "./sse.js";
import { opened, resumed } from "./resume.js";

/** How long a token that has ended may keep a stream open. */
const lookEveryMs = 5_000;

/** What is told of a namespace. The first says where the stream begins, so that a client can resume before any event. */
async function* told(messages: AsyncIterable<WatchEventsResponse>): AsyncGenerator<Sse> {
  for await (const { position, event } of messages)
    yield event ? { event: event.kind, id: position, data: event.payload } : { id: position };
}

/** Aborts `ended` once the token of a request is no more. */
function watchToken(ctx: Context, exchange: Exchange, ended: AbortController): Disposable {
  const timer = setInterval(() => {
    sessionOf(ctx, exchange).catch((error) => ended.abort(error));
  }, lookEveryMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Answers the events of a namespace as they come, until the caller may see them no more. */
export const eventStream =
  (ctx: Context, namespaceId: number): Reply =>
  async (exchange) => {
    const { request, response } = exchange;
    const ended = new AbortController();
    const signal = AbortSignal.any([gone(exchange, ctx.signal), ended.signal]);
    using _ = watchToken(ctx, exchange, ended);
    const from = lastEventId(request);
    const watch = (last?: WatchEventsResponse) =>
      ctx.webhooks.watchEvents({ namespaceId, after: last ? last.position : from }, { signal });
    const messages = await opened(resumed(watch, signal));
    if (request.method === "HEAD") {
      send(response, 200, streamHeaders);
      return ended.abort();
    }
    await sendEvents(exchange, told(messages), { signal, stopping: ctx.signal });
  };
