import { createHmac } from "node:crypto";

/** What the headers of one delivery are made from. */
export interface Sent {
  /** `X-Service-CI`, unless configured otherwise. */
  readonly prefix: string;
  readonly event: string;
  /** UUID. */
  readonly deliveryId: string;
  readonly webhookId: number;
  /** The present secret first, then earlier ones that still count; none for no signature. */
  readonly secrets: readonly string[];
  /** The exact body. */
  readonly payload: string;
}

const hmac = (secret: string, text: string) => createHmac("sha256", secret).update(text);

/** The headers that are the same at every attempt. */
export const steadyHeaders = ({ prefix, event, deliveryId, webhookId, secrets, payload }: Sent) => ({
  "Content-Type": "application/json; charset=utf-8",
  Accept: "*/*",
  "User-Agent": "Service-CI-Hook",
  [`${prefix}-Event`]: event,
  [`${prefix}-Delivery`]: deliveryId,
  [`${prefix}-Hook-ID`]: String(webhookId),
  ...(secrets[0] === undefined
    ? {}
    : { [`${prefix}-Signature`]: `sha256=${hmac(secrets[0], payload).digest("hex")}`, "webhook-id": deliveryId }),
});

/** All headers of one attempt: signed with its time, by every secret, so that an old request cannot be sent again. */
export const attemptHeaders = (sent: Sent, at: Date): Record<string, string> => {
  const { deliveryId, secrets, payload } = sent;
  if (secrets.length === 0) return steadyHeaders(sent);
  const seconds = String(Math.floor(at.getTime() / 1_000));
  const signed = `${deliveryId}.${seconds}.${payload}`;
  return {
    ...steadyHeaders(sent),
    "webhook-timestamp": seconds,
    "webhook-signature": secrets.map((secret) => `v1,${hmac(secret, signed).digest("base64")}`).join(" "),
  };
};
