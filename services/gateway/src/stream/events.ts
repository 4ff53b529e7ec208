import type { WatchEventsResponse } from "@ci/proto/webhooks/v1/webhooks";
import type { Context } from "../context.js";
import { disconnected } from "../http/exchange.js";
import type { Reply } from "../http/row.js";
import { send } from "../http/send.js";
import { opened, resumed } from "./resume.js";
import { lastEventId, type Sse, sendEvents, streamHeaders } from "./sse.js";
import { watchToken } from "./watch-token.js";

/** Converts events. The first message only has a position, so that a client can resume before any event. */
async function* toSse(messages: AsyncIterable<WatchEventsResponse>): AsyncGenerator<readonly Sse[]> {
  let rest = false;
  for await (const { position: id, event } of messages) {
    const { kind, payload: data, more = false } = event ?? {};
    yield [rest ? { data, more, rest } : { event: kind, id, data, more }];
    rest = more;
  }
}

/** A client discards the beginning of an event, and gets all of it when it reconnects. */
const isComplete = ({ event }: WatchEventsResponse): boolean => !event?.more;

type Watch = (after: number | undefined, options: { signal: AbortSignal }) => AsyncIterable<WatchEventsResponse>;

/** Streams the events of `watch` for as long as the caller may see them. */
export const eventStream =
  (ctx: Context, watch: Watch): Reply =>
  async (exchange) => {
    const { request, response } = exchange;
    using _stream = ctx.openStreams.add(exchange);
    const ended = new AbortController();
    const signal = AbortSignal.any([disconnected(exchange, ctx.signal), ended.signal]);
    using _token = watchToken(ctx, exchange, ended);
    const from = lastEventId(request);
    const open = (last?: WatchEventsResponse) => watch(last ? last.position : from, { signal });
    const messages = await opened(resumed(open, signal, isComplete));
    if (request.method === "HEAD") {
      send(response, 200, streamHeaders);
      return ended.abort();
    }
    await sendEvents(exchange, toSse(messages), { signal, stopping: ctx.signal }).catch((error) => {
      throw ended.signal.aborted ? ended.signal.reason : error;
    });
  };
