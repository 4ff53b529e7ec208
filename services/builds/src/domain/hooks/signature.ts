import { createHash, createHmac, timingSafeEqual } from "node:crypto";

const digest = (text: string) => createHash("sha256").update(text).digest();

/** Whether two texts are the same, in a time that tells neither where they differ nor how long the other is. */
export const same = (given: string, expected: string): boolean => timingSafeEqual(digest(given), digest(expected));

/** Whether a header's value is the HMAC-SHA256 of the body, in hexadecimal after a prefix. */
export const signs = (given: string | undefined, prefix: string, body: Uint8Array, secret: string): boolean =>
  given !== undefined && same(given, prefix + createHmac("sha256", secret).update(body).digest("hex"));
