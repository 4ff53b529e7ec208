import { notFound } from "@ci/kit/rpc/fault";
import type { Delivery } from "@ci/proto/webhooks/v1/webhooks";
import type { Context } from "../context.js";
import { type DeliveryDoc, toDelivery } from "../store/delivery-doc.js";

/** Returns a delivery with its payload. Throws `not_found` if both have been removed meanwhile. */
export async function completeDelivery(
  { sharedPayloads }: Pick<Context, "sharedPayloads">,
  doc: DeliveryDoc,
): Promise<Delivery> {
  if (!doc.sharedRequest) return toDelivery(doc);
  const payload = await sharedPayloads.read(doc);
  if (payload === undefined) throw notFound();
  return { ...toDelivery(doc), request: { headers: doc.sharedRequest.headers, payload: payload.toString() } };
}
