import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Context } from "../context.js";

/** A payload, and its id if the deliveries of an event share it. */
export interface Body {
  readonly payload: string;
  readonly payloadId?: string;
  readonly payloadBytes?: number;
}

const maxOwnLength = fixedLimit({
  max: 4 * 1024,
  about: "characters of a payload that each delivery of an event stores itself",
  effect: "a longer one is stored once for all of them",
});

/** Stores the long payloads of events that several webhooks receive. A small event costs no further command. */
export async function sharePayloads(
  { sharedPayloads }: Pick<Context, "sharedPayloads">,
  payloads: readonly string[],
  receivers: readonly number[],
): Promise<Body[]> {
  const isShared = (payload: string, index: number) => payload.length > maxOwnLength && receivers[index]! > 1;
  const ids = await sharedPayloads.store(payloads.filter(isShared));
  return payloads.map((payload, index) =>
    isShared(payload, index)
      ? { payload, payloadId: ids.shift(), payloadBytes: Buffer.byteLength(payload) }
      : { payload },
  );
}
