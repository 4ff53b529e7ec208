import type { Context } from "../context.js";
import { matches } from "../domain/filter.js";
import type { StreamHead } from "../store/stream-heads.js";
import type { WebhookDoc } from "../store/webhook-doc.js";
import { payloadReader } from "./payload-reader.js";

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
  const read = payloadReader();
  const wanted: Wanted[] = [];
  for (const one of found) if (matches(filter, await read(one.payload))) wanted.push(one);
  return wanted;
}
