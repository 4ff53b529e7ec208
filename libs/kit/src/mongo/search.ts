import type { Document, Filter } from "mongodb";
import type { Backfill } from "./migrate.js";

/** Characters in a term. Shorter searches scan the list itself. */
const termLength = 3;
/** Terms of one search that are looked up. MongoDB uses the rarest. */
const maxTerms = 3;

/** Folds each character separately, so that parts stay parts. Upper case unifies letters with two lower cases. */
const folded = (text: string): string[] =>
  Array.from(text, (character) => character.toLowerCase().toUpperCase().toLowerCase()).flatMap((same) => [...same]);

function termsIn(text: string): string[] {
  const characters = folded(text);
  const count = Math.max(0, characters.length - termLength + 1);
  return Array.from({ length: count }, (_, at) => characters.slice(at, at + termLength).join(""));
}

/** Returns every three consecutive characters. An index of them finds names by any part, in any case. */
export const termsOf = (names: readonly string[]): string[] => [...new Set(names.flatMap(termsIn))];

export const exactTerm = (name: string): string => `=${folded(name).join("")}`;

export const literal = (text: string): string =>
  // MongoDB ends a pattern at its first NUL, so we escape it.
  text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replaceAll("\0", "\\x00");

/** Matches values that contain this text in upper or lower case. */
export const containing = (text: string): Filter<Document> => ({ $regex: literal(text), $options: "i" });

export function searchTerms(text: string): string[] {
  const terms = [...new Set(termsIn(text))];
  if (terms.length <= maxTerms) return terms;
  const last = terms.length - 1;
  return [terms[0]!, terms[last >> 1]!, terms[last]!];
}

export function searchFilter(field: string, text: string): object {
  if (text === "") return {};
  const terms = searchTerms(text);
  return { [field]: containing(text), ...(terms.length > 0 ? { terms: { $all: terms } } : {}) };
}

export const sameTerms = (stored: unknown, terms: readonly string[]): boolean =>
  Array.isArray(stored) && stored.join("\n") === terms.join("\n");

export const backfillTerms = (field: string): Backfill => ({
  reads: [field, "terms"],
  missing(doc) {
    const name: unknown = doc[field];
    if (typeof name !== "string") return undefined;
    const terms = termsOf([name]);
    return sameTerms(doc.terms, terms) ? undefined : { terms };
  },
});
