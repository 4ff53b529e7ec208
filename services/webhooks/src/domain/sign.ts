import { createHmac } from "node:crypto";

export interface HeaderInput {
  readonly prefix: string;
  readonly event: string;
  readonly deliveryId: string;
  readonly webhookId: number;
  /** The current secret first, then earlier valid ones. Empty: no signature. */
  readonly secrets: readonly string[];
  readonly payload: string | Buffer;
  readonly test?: boolean;
}

const hmac = (secret: string, payload: string | Buffer, before = "") =>
  createHmac("sha256", secret).update(before).update(payload);

export const fixedHeaders = ({ prefix, event, deliveryId, webhookId, secrets, payload, test }: HeaderInput) => ({
  "Content-Type": "application/json; charset=utf-8",
  Accept: "*/*",
  "User-Agent": "Service-CI-Hook",
  [`${prefix}-Event`]: event,
  [`${prefix}-Delivery`]: deliveryId,
  [`${prefix}-Hook-ID`]: String(webhookId),
  ...(test ? { [`${prefix}-Test`]: "true" } : {}),
  ...(secrets[0] === undefined
    ? {}
    : { [`${prefix}-Signature`]: `sha256=${hmac(secrets[0], payload).digest("hex")}`, "webhook-id": deliveryId }),
});

/** Headers of one attempt. Every secret signs its time too, so that receivers can reject a replayed request. */
export const attemptHeaders = (input: HeaderInput, at: Date): Record<string, string> => {
  const { deliveryId, secrets, payload } = input;
  if (secrets.length === 0) return fixedHeaders(input);
  const seconds = String(Math.floor(at.getTime() / 1_000));
  const before = `${deliveryId}.${seconds}.`;
  return {
    ...fixedHeaders(input),
    "webhook-timestamp": seconds,
    "webhook-signature": secrets.map((secret) => `v1,${hmac(secret, payload, before).digest("base64")}`).join(" "),
  };
};
