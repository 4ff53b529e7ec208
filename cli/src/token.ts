import { UsageError } from "./exit.js";

/** Throws if a token has a wrong form. The message names the token's place, and never its text. */
export function checkToken(token: string, place: string): void {
  if (token === "") throw new UsageError(`The token ${place} is empty. Copy it again`);
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new UsageError(`The token ${place} is not one word. Copy it again, without line breaks and quotation marks`);
}
