import { createHash, timingSafeEqual } from "node:crypto";

const digest = (text: string) => createHash("sha256").update(text).digest();

/** Compares two texts in a time that depends neither on where they differ nor on the length of `expected`. */
export const equalTexts = (given: string, expected: string): boolean =>
  timingSafeEqual(digest(given), digest(expected));

export const isSignature = (given: string | undefined, expected: string): boolean =>
  given !== undefined && equalTexts(given, expected);
