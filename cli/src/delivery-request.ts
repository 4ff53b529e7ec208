import { createHmac, randomUUID } from "node:crypto";

/** A request as a webhook sends it. */
export interface DeliveryRequest {
  readonly deliveryId: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function signatures(id: string, body: string, secret: string, seconds: string): Record<string, string> {
  const hmac = (text: string) => createHmac("sha256", secret).update(text);
  return {
    "X-Service-CI-Signature": `sha256=${hmac(body).digest("hex")}`,
    "webhook-id": id,
    "webhook-timestamp": seconds,
    "webhook-signature": `v1,${hmac(`${id}.${seconds}.${body}`).digest("base64")}`,
  };
}

/** Returns the request for an event. No webhook has the id 0. */
export function deliveryRequest(event: string, data: unknown, secret: string | undefined): DeliveryRequest {
  const deliveryId = randomUUID();
  const body = JSON.stringify(data);
  const seconds = String(Math.floor(Date.now() / 1_000));
  const headers = {
    "Content-Type": "application/json; charset=utf-8",
    Accept: "*/*",
    "User-Agent": "Service-CI-Hook",
    "X-Service-CI-Event": event,
    "X-Service-CI-Delivery": deliveryId,
    "X-Service-CI-Hook-ID": "0",
    ...(secret === undefined ? {} : signatures(deliveryId, body, secret, seconds)),
  };
  return { deliveryId, headers, body };
}
