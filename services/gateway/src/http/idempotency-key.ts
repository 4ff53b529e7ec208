import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { Refusal } from "./answer.js";
import type { Exchange } from "./exchange.js";

export const maxKeyLength = fixedLimit({
  max: 255,
  about: "characters of an `Idempotency-Key`",
  refusal: "Idempotency-Key must be one value of 1 to N printable ASCII characters, bare or as a quoted string",
});

const refusal = `Idempotency-Key must be one value of 1 to ${maxKeyLength} printable ASCII characters, bare or as a quoted string`;

const printable = /^[ -~]+$/;
/** A string of RFC 9651, section 3.3.3. */
const quotedString = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/;

/** Returns the text of a key; undefined if it is malformed. */
export function readKey(value: string): string | undefined {
  const quoted = quotedString.exec(value)?.[1]?.replace(/\\(.)/g, "$1");
  const key = value.startsWith('"') ? quoted : value;
  return key !== undefined && printable.test(key) && key.length <= maxKeyLength ? key : undefined;
}

/** Notes the key of a request that its client may repeat. Throws if it is malformed. */
export async function noteKey(exchange: Exchange): Promise<void> {
  const [value, ...others] = exchange.request.headersDistinct["idempotency-key"] ?? [];
  if (value === undefined) return;
  exchange.idempotencyKey = others.length === 0 ? readKey(value) : undefined;
  if (exchange.idempotencyKey === undefined) throw new Refusal(400, refusal);
}

/** Tells the client that an earlier request with the key has made what is returned. */
export const markReplayed = ({ response }: Exchange): void => void response.setHeader("Idempotent-Replayed", "true");
