import { quoted } from "@ci/kit/rpc/fault";
import type { Complaints } from "./complaints.js";
import { nearest, suggestion } from "./nearest.js";
import { type Entry, isEmpty, type Tree } from "./tree.js";

export type Json = Readonly<Record<string, unknown>>;

export const orEmpty = (schema: Json): Json => ({ anyOf: [schema, { enum: [null, "", [], {}] }] });

export function filled(schema: Json): Json {
  const types = [schema.type].flat();
  const texts = types.includes("string") ? { pattern: "\\S" } : {};
  return { ...texts, ...(types.includes("array") ? { minItems: 1 } : {}), ...schema };
}

/** Where a value stands, for complaints about it. */
export interface Where {
  readonly complain: Complaints;
  /** The key in the manifest. */
  readonly top: string;
  /** The nearest key; in a list with the index, as in `commands[2]`. */
  readonly name: string;
  readonly inList: boolean;
  /** A value of the nearest key. */
  readonly example?: unknown;
}

/** A kind of value: how it is read, and its JSON Schema. Values without content are read as `none`. */
export interface Spec<T> {
  /** Completes "must be". */
  readonly noun: string;
  readonly schema: Json;
  readonly none: T;
  /** Returns the value, or undefined after a complaint. */
  read(tree: Tree, where: Where): T | undefined;
}

/** A value and its offset in the text. */
export interface Placed<T> {
  readonly at: number;
  readonly value: T;
}

/** A value together with its offset, which is undefined if the value is missing. */
export type MaybePlaced<T> = Partial<Placed<T>> & { readonly value: T };

export const controls = /\p{Cc}/u;

const nounOf = ({ value }: Tree): string => {
  if (value === null) return "nothing";
  if (typeof value === "string") return "a string";
  return value instanceof Map ? "a mapping" : "a list";
};

/** Shows how to write a text, if all of it fits. */
function written(text: string, isEntry: boolean): string {
  const trimmed = text.trim();
  return quoted(trimmed) === trimmed ? ` ("${isEntry ? "- " : ""}'${trimmed.replaceAll("'", "''")}'")` : "";
}

/** What other languages write before a command. */
const stepWords = ["run", "script", "command", "cmd", "exec", "step", "sh", "bash", "pwsh", "powershell"];

/** Recognises a text with a colon that YAML took for a mapping, and a key of another language before a text. */
function textHint({ at, value }: Tree, { top, name }: Where): string {
  const [[key, entry] = ["", undefined], ...others] = value instanceof Map ? [...value] : [];
  const text = entry?.tree.value ?? "";
  const isAlone = others.length === 0 && entry?.at === at;
  if (!isAlone || typeof text !== "string" || controls.test(key + text)) return "";
  const isEntry = name.endsWith("]");
  const list = isEntry && top !== "matrix" ? name.split("[")[0] : "";
  if (list === "env") return `; write it as KEY=VALUE${written(`${key}=${text}`, isEntry)}`;
  if (text !== "" && (list === "artifacts" || list === "objects"))
    return `; write it with =>${written(`${key} => ${text}`, isEntry)}`;
  if (text !== "" && list === "commands" && stepWords.includes(key))
    return `; write only the text${written(text, isEntry)}`;
  return `; quote it${written(`${key}: ${text}`, isEntry)}`;
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (typeof value !== "object" || value === null)
    return /^[\w./ =~-]+$/.test(String(value)) ? String(value) : JSON.stringify(value);
  const entries = Object.entries(value).map(([key, one]) => `${key}: ${inline(one)}`);
  return `{${entries.join(", ")}}`;
}

function hintOf(tree: Tree, where: Where, noun: string): string {
  const { name, example } = where;
  if (noun === text.noun) return textHint(tree, where);
  const shown = name.endsWith("]") && Array.isArray(example) ? example[0] : example;
  return shown === undefined ? "" : `; for example ${inline(shown)}`;
}

/** The keys about which the contract has words of its own, which name no place. */
const inContract = ["namespace", "driver", "env", "objects", "sources", "stages", "allow_failures", "jobs"];

/** Complains that a value has the wrong type: outside of lists in the words of the contract, if it has any. */
export function wrongType(tree: Tree, where: Where, noun: string): undefined {
  const { complain, top, name, inList } = where;
  const what = `${name} must be ${noun}, not ${nounOf(tree)}${hintOf(tree, where, noun)}`;
  if (inList) complain.addAt(tree.at, what);
  else if (inContract.includes(top)) complain.add(`${top} has the wrong type`, "", tree.at);
  else complain.refuseAt(tree.at, what);
}

export const readEntry = <T>(spec: Spec<T>, entry: Entry | undefined, where: Where): T | undefined =>
  entry === undefined || isEmpty(entry.tree) ? spec.none : spec.read(entry.tree, where);

/** Numbers and booleans count by their source text. */
export const text: Spec<string> = {
  noun: "a string",
  schema: { type: ["string", "number", "boolean"] },
  none: "",
  read: (tree, where) => (typeof tree.value === "string" ? tree.value : wrongType(tree, where, text.noun)),
};

export const entry: Spec<string> = { ...text, schema: { type: ["string", "number", "boolean", "null"] } };

/** A text of at most `max` characters. */
export const textUpTo = (max: number, of = text): Spec<string> => ({
  ...of,
  schema: { ...of.schema, maxLength: max },
  read(tree, where) {
    const given = text.read(tree, where);
    if (given !== undefined && given.length > max && Array.from(given).length > max)
      where.complain.addAt(tree.at, `${where.name} cannot be longer than ${max} characters`);
    return given;
  },
});

/** Describes a value whose text may also be this pattern, with spaces around it. */
export const orSpaced = (schema: Json, pattern: string): Json => ({
  anyOf: [schema, { $comment: "Spaces around it do not count", type: "string", pattern: `^\\s*(${pattern})\\s*$` }],
});

/** One of these words. Spaces around it do not count. */
export const word = <W extends string>(words: readonly W[]): Spec<W | ""> => ({
  noun: "a string",
  schema: orSpaced({ enum: words }, `${words.join("|")}|`),
  none: "",
  read(tree, where) {
    const given = text.read(tree, where)?.trim();
    if (given === undefined || given === "" || words.includes(given as W)) return given as W | "" | undefined;
    const meant = nearest(given, words);
    const known = meant ? suggestion(meant) : `; known are ${words.map((one) => `"${one}"`).join(", ")}`;
    where.complain.addAt(tree.at, `unknown ${where.name} "${quoted(given)}"${known}`);
  },
});

/** A list. Entries that cannot be read are left out after a complaint. */
export const list = <T>(of: Spec<T>): Spec<readonly Placed<T>[]> => ({
  noun: "a list",
  schema: { type: "array", items: of.schema },
  none: [],
  read(tree, where) {
    if (!Array.isArray(tree.value)) return wrongType(tree, where, "a list");
    return tree.value.flatMap((entry: Tree, index) => {
      const value = of.read(entry, { ...where, name: `${where.name}[${index}]`, inList: true });
      return value === undefined ? [] : [{ at: entry.at, value }];
    });
  },
});

export const placed = <T>(of: Spec<T>): Spec<MaybePlaced<T>> => ({
  ...of,
  none: { value: of.none },
  read(tree, where) {
    const value = of.read(tree, where);
    return value === undefined ? undefined : { at: tree.at, value };
  },
});
