import { quoted } from "@ci/kit/rpc/fault";
import type { Complaints } from "./complaints.js";
import { nearest, plain, suggestion } from "./nearest.js";
import { entry, filled, type Json, orEmpty, readEntry, type Spec, text, type Where, wrongType } from "./spec.js";
import { type Entry, isEmpty, isMapping } from "./tree.js";

export interface Key<T> {
  readonly spec: Spec<T>;
  readonly about: string;
  readonly example: unknown;
  /** What other languages call it, for suggestions. */
  readonly synonyms: readonly string[];
}

export const key = <T>(spec: Spec<T>, about: string, example: unknown, ...synonyms: string[]): Key<T> => ({
  spec,
  about,
  example,
  synonyms,
});

// biome-ignore lint/suspicious/noExplicitAny: keys of any type
export type Keys = Readonly<Record<string, Key<any>>>;
type ValueOf<K> = K extends Key<infer T> ? T : never;
/** What a mapping with these keys is read as. A key is undefined after a complaint. */
export type Values<K extends Keys> = { readonly [Name in keyof K]: ValueOf<K[Name]> | undefined };

/** Describes a mapping. Every key may be empty; `required` ones may be neither empty nor missing. */
export function mappingSchema(keys: Keys, required: readonly string[] = []): Json {
  const properties = Object.entries(keys).map(([name, { spec, about, example }]) => {
    const described = { description: about, examples: [example] };
    return [name, { ...described, ...(required.includes(name) ? filled(spec.schema) : orEmpty(spec.schema)) }];
  });
  const rest = required.length > 0 ? { required } : {};
  return { type: "object", properties: Object.fromEntries(properties), ...rest, additionalProperties: false };
}

/** The keys of another mapping, for suggestions, and where that is, such as " in a job". */
export interface Elsewhere {
  readonly keys: Keys;
  readonly place: string;
}

const knownSynonyms = new WeakMap<Keys, ReadonlyMap<string, string>>();

function synonymOf(name: string, keys: Keys): string | undefined {
  let known = knownSynonyms.get(keys);
  if (!known) {
    known = new Map(Object.entries(keys).flatMap(([key, { synonyms }]) => synonyms.map((one) => [plain(one), key])));
    knownSynonyms.set(keys, known);
  }
  return known.get(plain(name));
}

function suggestionFor(name: string, keys: Keys, elsewhere?: Elsewhere): string {
  const other = elsewhere && Object.hasOwn(elsewhere.keys, name) ? name : undefined;
  const here = synonymOf(name, keys) ?? nearest(name, Object.keys(keys), other ? 1 : undefined);
  if (here || !elsewhere) return suggestion(here);
  return suggestion(other ?? synonymOf(name, elsewhere.keys), elsewhere.place);
}

/** Complains about keys that are unknown in a place, such as " in a job". */
export function complainOfUnknown(
  entries: Iterable<[string, Entry]>,
  keys: Keys,
  place: string,
  complain: Complaints,
  elsewhere?: Elsewhere,
): void {
  for (const [name, { at }] of entries)
    if (!Object.hasOwn(keys, name))
      complain.addAt(at, () => `unknown key "${quoted(name)}"${place}${suggestionFor(name, keys, elsewhere)}`, "line");
}

/** Reads the known keys of a mapping. `where` is for complaints about one of them. */
export function readKeys<K extends Keys>(
  entries: ReadonlyMap<string, Entry>,
  keys: K,
  where: (name: string) => Where,
): Values<K> {
  const read = Object.entries(keys).map(([name, { spec, example }]) => [
    name,
    readEntry(spec, entries.get(name), { ...where(name), example }),
  ]);
  return Object.fromEntries(read) as Values<K>;
}

/** A mapping with these keys. `noun` is such as "a job". The reader of the values complains if one in `required` is missing. */
export const mapping = <K extends Keys>(
  noun: string,
  keys: K,
  required: readonly (keyof K & string)[] = [],
  elsewhere?: () => Elsewhere,
): Spec<Values<K>> => ({
  noun: "a mapping",
  schema: required.length > 0 ? mappingSchema(keys, required) : orEmpty(mappingSchema(keys)),
  none: {} as Values<K>,
  read(tree, where) {
    if (tree.isNull || isEmpty(tree)) return readKeys(new Map(), keys, () => where);
    if (!isMapping(tree)) return wrongType(tree, where, "a mapping");
    complainOfUnknown(tree.value, keys, ` in ${noun}`, where.complain, elsewhere?.());
    return readKeys(tree.value, keys, (name) => ({ ...where, name }));
  },
});

/** A text, or a mapping with these keys, in a list. */
export const textOr = <K extends Keys>(
  noun: string,
  keys: K,
  required: readonly (keyof K & string)[],
): Spec<string | Values<K>> => {
  const mapped = mapping(noun, keys, required);
  return {
    noun: "a string or a mapping",
    schema: { anyOf: [filled(entry.schema), mapped.schema] },
    none: "",
    read: (tree, where) => (isMapping(tree) && !isEmpty(tree) ? mapped.read(tree, where) : text.read(tree, where)),
  };
};
