import { pacer } from "@ci/kit/turns/pacer";
import type { Context } from "../context.js";
import { matches } from "../domain/filter.js";
import type { StreamHead } from "../store/stream-heads.js";
import type { WebhookDoc } from "../store/webhook-doc.js";

/** Characters parsed before other work of the process runs. */
const pieceLength = 256 * 1024;

export interface Wanted {
  readonly event: StreamHead;
  readonly payload: string;
}

/** Reads the payloads of events, and leaves out events that are gone or that the webhook's filter excludes. */
export async function readWanted(
  { stream }: Pick<Context, "stream">,
  { filter }: Pick<WebhookDoc, "filter">,
  events: readonly StreamHead[],
): Promise<Wanted[]> {
  const payloads = await stream.payloads(events.map(({ _id }) => _id));
  const found = events.flatMap((event) => {
    const payload = payloads.get(event._id);
    return payload === undefined ? [] : [{ event, payload }];
  });
  if (!filter) return found;
  const pace = pacer(pieceLength);
  const wanted: Wanted[] = [];
  for (const one of found) {
    if (matches(filter, JSON.parse(one.payload))) wanted.push(one);
    await pace(one.payload.length);
  }
  return wanted;
}
