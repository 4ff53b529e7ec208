import { type HookDelivery, HookDelivery_Status } from "@ci/proto/builds/v1/repositories";
import { z } from "zod";
import type { Relations } from "./relations.js";
import { id, record, timestamp, url } from "./schema.js";
import { time } from "./time.js";
import { buildUrl, namespaceUrlOf } from "./urls.js";

export const hookDeliverySchema = record(
  "HookDelivery",
  "An event that a provider sent, and the builds that it triggered",
  {
    id: id.describe("Id of the delivery"),
    repository_id: id.describe("Id of the repository"),
    delivery_id: z
      .string()
      .describe("The provider's id of the delivery; one of the service's own if no provider sent it"),
    event: z
      .string()
      .describe("The event as the provider names it; `connected` for the first builds, `run` for a run by hand"),
    ref: z.string().nullable().describe("Branch or tag; null if the event cannot trigger builds"),
    sha: z.string().nullable().describe("Id of the commit; null if the event cannot trigger builds"),
    status: z
      .enum(HookDelivery_Status)
      .describe(
        "`pending` while it is processed, `skipped` if it triggers no build, `failed` if a manifest is invalid",
      ),
    reasons: z.array(z.string()).describe("Why it triggered no build, or not one for each manifest"),
    builds: z.array(url).describe("Addresses of the builds that it triggered"),
    redelivery_of: id.nullable().describe("Id of the delivery that it repeats; null if it repeats none"),
    created_at: timestamp.describe("When it was received"),
    url: url.nullable().describe("Address of the delivery; null if the namespace is gone"),
  },
);

/** Returns a delivery. `namespaceId` is the repository's. */
export function hookDeliveryJson(
  delivery: HookDelivery,
  namespaceId: number,
  relations: Relations,
): z.output<typeof hookDeliverySchema> {
  const namespace = namespaceUrlOf(namespaceId, relations);
  const path = `-/repositories/${delivery.repositoryId}/deliveries/${delivery.id}`;
  return {
    id: delivery.id,
    repository_id: delivery.repositoryId,
    delivery_id: delivery.deliveryId,
    event: delivery.event,
    ref: delivery.ref ?? null,
    sha: delivery.sha ?? null,
    status: delivery.status,
    reasons: [...delivery.reasons],
    builds: delivery.builds.map((build) => buildUrl(build, relations)),
    redelivery_of: delivery.redeliveryOf ?? null,
    created_at: time(delivery.createdAt),
    url: namespace === null ? null : `${namespace}/${path}`,
  };
}
