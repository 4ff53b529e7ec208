import type { ReceiveHookRequest } from "@ci/proto/builds/v1/repositories";
import { providers } from "../../domain/hooks/providers.js";
import { reasonForNothing } from "../../domain/hooks/reasons.js";
import type { HookDelivery } from "../../store/hooks/hook-deliveries.js";
import type { RepositoryDoc } from "../../store/repositories.js";
import { readPayload } from "./read-payload.js";

/** A signed request of a provider. */
export type Received = Pick<RepositoryDoc, "provider"> & Pick<ReceiveHookRequest, "headers" | "body">;

export type ReadReceived = Pick<HookDelivery, "event" | "change" | "reasons">;

const maxEventLength = 50;

const eventOf = ({ provider, headers }: Received, payload?: unknown): string =>
  providers[provider].event(headers, payload).slice(0, maxEventLength);

export const unread = (received: Received, reason: string): ReadReceived => ({
  event: eventOf(received),
  reasons: [reason],
});

/** Reads a request. An event that cannot trigger builds has the reason. */
export async function readReceived(received: Received): Promise<ReadReceived> {
  const { provider, headers, body } = received;
  const adapter = providers[provider];
  const { payload, excess } = await readPayload(headers["content-type"] ?? "", body);
  const change = adapter.read(headers, payload);
  const event = eventOf(received, payload);
  return change ? { event, change } : { event, reasons: [excess ?? reasonForNothing(adapter, headers, payload)] };
}
