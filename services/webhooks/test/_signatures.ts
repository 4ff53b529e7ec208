import { createHmac } from "node:crypto";
import type { Received } from "@ci/testkit/receiver";

/** Returns the body signature that a receiver computes. */
export const bodyDigest = ({ body }: Received, secret: string): string =>
  `sha256=${createHmac("sha256", Buffer.from(secret, "utf8")).update(body).digest("hex")}`;

/** Reports whether one of the signatures over id, time and body is this secret's. */
export function verifies({ headers, body }: Received, secret: string): boolean {
  const signed = Buffer.concat([Buffer.from(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.`), body]);
  const ours = `v1,${createHmac("sha256", Buffer.from(secret, "utf8")).update(signed).digest("base64")}`;
  return String(headers["webhook-signature"]).split(" ").includes(ours);
}
