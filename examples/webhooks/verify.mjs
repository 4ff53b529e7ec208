import { createHmac, timingSafeEqual } from "node:crypto";

/** Reports whether a request has a valid signature. `body` has the bytes as received; names of `headers` are lower case. */
export function verify(body, headers, secret, nowSeconds = Date.now() / 1000, toleranceSeconds = 300) {
  const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signatures } = headers;
  if (!id || !signatures || !/^\d{1,12}$/.test(time ?? "")) return false;
  if (Math.abs(nowSeconds - Number(time)) > toleranceSeconds) return false;
  const hmac = createHmac("sha256", secret).update(`${id}.${time}.`).update(body);
  const expected = Buffer.from(`v1,${hmac.digest("base64")}`);
  return signatures.split(" ").some((text) => {
    const given = Buffer.from(text);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
