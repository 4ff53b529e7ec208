/** The part of a JSON Schema that completion reads. */
export interface Schema {
  readonly description?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly type?: string | readonly string[];
}

export interface Suggestion {
  /** What replaces the word. */
  readonly text: string;
  readonly about: string;
}

export interface Completion {
  /** Start and end of the word that the suggestions replace. */
  readonly from: number;
  readonly to: number;
  readonly suggestions: readonly Suggestion[];
}

/** Longer lines get no suggestions, and only the beginning of those before them counts. */
const maxLineLength = 500;
/** What follows so much text gets no suggestions. */
const maxBefore = 64 * 1024;

/** The path element from a list to its items. No key contains a space. */
const item = "an item";

interface Line {
  /** The column of the dash that begins an item in this line. */
  readonly dash?: number | undefined;
  /** The column of the first thing after the dashes. */
  readonly column: number;
  readonly key?: string | undefined;
}

function lineOf(text: string): Line | undefined {
  const [, lead = "", rest = ""] = /^([ -]*?(?:- +)?)([^ #].*)?$/s.exec(text.slice(0, maxLineLength)) ?? [];
  if (rest === "" && !lead.includes("-")) return undefined;
  const dash = lead.lastIndexOf("-");
  const key = /^([\w$-]+):(?: |$)/.exec(rest)?.[1];
  return { dash: dash < 0 ? undefined : dash, column: lead.length, key };
}

/** Returns the path from the root to the mapping whose keys are in this column. */
function pathTo(before: readonly string[], { column, dash }: Pick<Line, "column" | "dash">): string[] {
  const path: string[] = [];
  let [limit, list] = [column, dash];
  for (const text of [...before].reverse()) {
    const line = lineOf(text);
    if (!line) continue;
    if (list === undefined && line.column === limit && line.dash !== undefined) list = line.dash;
    const isParent = list === undefined ? line.column < limit : line.column <= list && line.dash !== list;
    if (!isParent || line.key === undefined) continue;
    path.unshift(line.key, ...(list === undefined ? [] : [item]));
    [limit, list] = [line.column, line.dash];
  }
  return path;
}

const options = (schema: Schema): readonly Schema[] => (schema.anyOf ? schema.anyOf.flatMap(options) : [schema]);

function below(schema: Schema, step: string): readonly Schema[] {
  if (step === item) return schema.items ? options(schema.items) : [];
  const { properties = {}, additionalProperties: others } = schema;
  if (Object.hasOwn(properties, step)) return options(properties[step]!);
  return typeof others === "object" ? options(others) : [];
}

const at = (schema: Schema, path: readonly string[]): readonly Schema[] =>
  path.reduce((found, step) => found.flatMap((one) => below(one, step)), options(schema));

const isText = (value: unknown): boolean => ["string", "number", "boolean"].includes(typeof value) && value !== "";

/** Returns the possible values of a key, such as `always` or `true`. */
function valuesOf(schemas: readonly Schema[]): Suggestion[] {
  const values = schemas.flatMap(({ type, const: only, enum: several = [] }) => [
    ...several.filter(isText),
    ...(isText(only) ? [only] : []),
    ...(type === "boolean" ? [true, false] : []),
  ]);
  return [...new Set(values.map(String))].map((text) => ({ text, about: "" }));
}

/** Returns the keys of a mapping. A space follows a key, unless an indented block does. */
function keysOf(schemas: readonly Schema[]): Suggestion[] {
  const keys = new Map<string, Suggestion>();
  for (const { properties = {} } of schemas)
    for (const [key, schema] of Object.entries(properties)) {
      const isBlock = options(schema).some(({ properties: inside, items, additionalProperties: others }) =>
        Boolean(inside ?? items ?? (typeof others === "object" && others)),
      );
      if (!keys.has(key)) keys.set(key, { text: `${key}:${isBlock ? "" : " "}`, about: schema.description ?? "" });
    }
  return [...keys.values()];
}

/** Suggests keys and values for the word before a position in a manifest. Understands block style only. */
export function completionAt(schema: Schema, text: string, position: number): Completion | undefined {
  if (position > maxBefore) return undefined;
  const before = text.slice(0, position).split("\n");
  const current = before.pop()!;
  if (current.length > maxLineLength) return undefined;
  if (/[^\n]/.test(text.slice(position, position + 1))) return undefined;
  const [, lead, key, word = ""] = /^([ -]*?(?:- +)?)(?:([\w$-]+): +)?([\w$-]*)$/.exec(current) ?? [];
  if (lead === undefined) return undefined;
  const dash = lead.lastIndexOf("-");
  const path = pathTo(before, { column: lead.length, dash: dash < 0 ? undefined : dash });
  const inside = at(schema, path);
  const all = key === undefined ? keysOf(inside) : valuesOf(inside.flatMap((one) => below(one, key)));
  const suggestions = all.filter(({ text: one }) => one.startsWith(word) && one.trimEnd() !== word);
  return suggestions.length > 0 ? { from: position - word.length, to: position, suggestions } : undefined;
}
