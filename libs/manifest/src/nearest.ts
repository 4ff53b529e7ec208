import leven from "leven";

/** Longer words are no typing mistakes, and comparing them costs time. */
const maxLength = 40;

/** Returns a word in lower case, with its parts separated by `_`. */
export const plain = (word: string) => word.toLowerCase().replace(/[-\s]/g, "_");

const letters = (word: string) => [...word].toSorted().join("");

const distanceOf = (word: string, known: string): number => {
  const distance = leven(word, known);
  return distance > 1 && word.length === known.length && letters(word) === letters(known) ? 1 : distance;
};

/** Returns the known word that was probably meant, if one is near: at most a third of it differs. */
export function nearest(word: string, known: readonly string[], furthest = maxLength): string | undefined {
  if (word.length > maxLength) return undefined;
  const given = plain(word);
  const words = known.filter((one) => one.length <= maxLength);
  const distances = words.map((one) => ({ one, distance: distanceOf(given, plain(one)) }));
  const [first] = distances.sort((a, b) => a.distance - b.distance);
  if (!first || first.distance >= first.one.length) return undefined;
  const bound = Math.min(furthest, Math.max(1, Math.floor(first.one.length / 3)));
  return first.distance <= bound ? first.one : undefined;
}

/** Returns the end of a complaint about an unknown word. `place` is such as " in a job". */
export function suggestion(meant: string | undefined, place = ""): string {
  return meant === undefined ? "" : `; did you mean "${meant}"${place}?`;
}
