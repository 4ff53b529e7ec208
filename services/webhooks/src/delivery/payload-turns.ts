import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { fairBytes } from "@ci/kit/turns/fair-bytes";
import type { Context } from "../context.js";
import { type DueDelivery, maxWaitingPayloadBytes } from "../store/delivery-doc.js";
import type { Payload } from "./shared-payloads.js";

/** Runs attempts of a user's webhooks as soon as there is room in memory for their payloads. */
export type PayloadTurns = <T>(userId: number, delivery: DueDelivery, attempt: () => Promise<T>) => Promise<T>;

const maxSentBytes = fixedLimit({
  max: 32 * 1024 ** 2,
  unit: "bytes",
  about: "payloads of more than 16 KiB that a process sends at the same time, half of them at most of one user",
  effect: "further attempts wait; users take turns",
});
/** A payload of unknown length counts as one of the longest: a manifest of 1 MiB may be twice as long in JSON. */
const longestBytes = 2 * 1024 ** 2;

function bytesOf({ request, payloadBytes, sharedRequest }: DueDelivery): number {
  if (sharedRequest) return sharedRequest.payloadBytes ?? longestBytes;
  return request?.payload?.length ?? payloadBytes ?? longestBytes;
}

export function payloadTurns(): PayloadTurns {
  // A lane waits with one delivery, so the slots limit how many wait.
  const inTurn = fairBytes<number>(maxSentBytes, Number.POSITIVE_INFINITY, "", { leavesRoom: true });
  return (userId, delivery, attempt) => {
    const bytes = bytesOf(delivery);
    return bytes <= maxWaitingPayloadBytes ? attempt() : inTurn(userId, bytes, attempt);
  };
}

export async function readPayload(
  { deliveries, sharedPayloads }: Pick<Context, "deliveries" | "sharedPayloads">,
  delivery: DueDelivery,
): Promise<Payload> {
  const { _id, request } = delivery;
  if (!request || request.payload !== undefined) return sharedPayloads.read(delivery);
  const text = await deliveries.payloadOf(_id);
  return text === undefined ? undefined : Buffer.from(text);
}
