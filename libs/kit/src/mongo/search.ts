import type { Backfill } from "./migrate.js";
import { containing } from "./mongo.js";

/** Characters of a term. Longer searches are looked up by the terms in them, shorter ones walk the list itself. */
const termLength = 3;
/** Terms of one search that are looked up; MongoDB tries each and goes on with the one that fewest records have. */
const mostSought = 3;

/**
 * The characters of a text without their case. Each for itself, so that a part of a text stays a part of it;
 * to upper case and back, because some letters have two lower ones.
 */
const folded = (text: string): string[] =>
  Array.from(text, (character) => character.toLowerCase().toUpperCase().toLowerCase()).flatMap((same) => [...same]);

function termsIn(text: string): string[] {
  const characters = folded(text);
  const count = Math.max(0, characters.length - termLength + 1);
  return Array.from({ length: count }, (_, at) => characters.slice(at, at + termLength).join(""));
}

/**
 * What is stored beside names so that an index finds them by any part: every three characters in a row.
 * Two names that MongoDB's `i` option takes for the same have the same terms.
 */
export const termsOf = (names: readonly string[]): string[] => [...new Set(names.flatMap(termsIn))];

/** The term of a whole name; it is stored only where records are asked for by exactly this name. */
export const exactTerm = (name: string): string => `=${folded(name).join("")}`;

/** Terms that every name has which contains this text; none for a text that is shorter than a term. */
export function searchTerms(text: string): string[] {
  const terms = [...new Set(termsIn(text))];
  if (terms.length <= mostSought) return terms;
  const last = terms.length - 1;
  return [terms[0]!, terms[last >> 1]!, terms[last]!];
}

/** What a filter says of records whose `field` contains a text, with or without case, found by their `terms`. */
export function searchFilter(field: string, text: string): object {
  if (text === "") return {};
  const terms = searchTerms(text);
  return { [field]: containing(text), ...(terms.length > 0 ? { terms: { $all: terms } } : {}) };
}

/** Whether what is stored are these terms. */
export const sameTerms = (stored: unknown, terms: readonly string[]): boolean =>
  Array.isArray(stored) && stored.join("\n") === terms.join("\n");

/** Gives terms to the records that were stored before there were any; they are found by `field`. */
export const backfillTerms = (field: string): Backfill => ({
  reads: [field, "terms"],
  missing(doc) {
    const name: unknown = doc[field];
    if (typeof name !== "string") return undefined;
    const terms = termsOf([name]);
    return sameTerms(doc.terms, terms) ? undefined : { terms };
  },
});
