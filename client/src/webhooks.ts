/** Says why a delivery is not genuine. */
export class InvalidDelivery extends Error {
  override readonly name = "InvalidDelivery";
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

const encoder = new TextEncoder();

const base64 = (bytes: ArrayBuffer): string => btoa(String.fromCharCode(...new Uint8Array(bytes)));

/** Compares two texts, in constant time if their lengths are equal. */
function isEqual(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let at = 0; at < a.length; at++) difference |= a.charCodeAt(at) ^ b.charCodeAt(at % (b.length || 1));
  return difference === 0;
}

async function signed(text: string, secret: string): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
  return `v1,${base64(await crypto.subtle.sign("HMAC", key, encoder.encode(text)))}`;
}

/**
 * Returns the id and the event of a delivery. Throws InvalidDelivery if the signature is wrong, or if the delivery's time
 * differs from now by more than `toleranceSeconds` (default 300). `body` is the text as received. The signature is that
 * of Standard Webhooks, except that the key is the secret's text itself.
 */
export async function verifyDelivery(
  { headers, body }: { readonly headers: Headers; readonly body: string },
  secret: string,
  { toleranceSeconds = 300, now = Date.now() }: { toleranceSeconds?: number; now?: number } = {},
): Promise<{ readonly id: string; readonly data: unknown }> {
  const header = (name: string): string => {
    const value = headers[name];
    if (typeof value !== "string") throw new InvalidDelivery(`The header ${name} is missing`);
    return value;
  };
  const [id, timestamp] = [header("webhook-id"), header("webhook-timestamp")];
  const expected = await signed(`${id}.${timestamp}.${body}`, secret);
  if (
    !header("webhook-signature")
      .split(" ")
      .some((given) => isEqual(given, expected))
  )
    throw new InvalidDelivery("No signature matches the secret");
  if (!(Math.abs(now / 1_000 - Number(timestamp)) <= toleranceSeconds))
    throw new InvalidDelivery(`The delivery was sent more than ${toleranceSeconds} s ago, or in the future`);
  return { id, data: JSON.parse(body) };
}
