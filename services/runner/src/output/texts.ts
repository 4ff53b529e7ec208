import { createMask } from "./mask.js";
import type { Secrets } from "./secrets.js";
import { inSlices } from "./slices.js";

/** Hides secrets in a text. Of one that is cut, an end that may begin a secret is left out. Await each text before the next. */
export type TextMask = (text: string, isCut: boolean) => Promise<string>;

export function textMask(secrets: Secrets): TextMask {
  let mask = createMask(secrets);
  let out: Uint8Array[] = [];
  const slices = inSlices((bytes) => out.push(mask.write(bytes)));
  return async (text, isCut) => {
    if (text === "") return text;
    mask = createMask(secrets);
    out = [];
    await slices.add(Buffer.from(text));
    if (!isCut) out.push(mask.end());
    return Buffer.concat(out).toString();
  };
}

/** Hides secrets in a whole text. */
export const masked = (secrets: Secrets, text: string): Promise<string> => textMask(secrets)(text, false);
