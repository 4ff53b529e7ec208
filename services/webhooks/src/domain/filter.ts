import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { quoted } from "@ci/kit/rpc/fault";
import type { Condition, Filter } from "@ci/proto/webhooks/v1/webhooks";
import type { EventName } from "@ci/rest/event-names";
import { payloadField } from "@ci/rest/payload-field";

const maxPaths = fixedLimit({
  max: 10,
  about: "paths in the filter of a webhook",
  refusal: "Filter cannot have more than N entries",
});
const maxPathLength = fixedLimit({
  max: 128,
  about: "characters of such a path",
  refusal: "Filter path cannot be longer than N characters in length",
});
const maxValues = fixedLimit({
  max: 20,
  about: "values of such a path",
  refusal: "Filter values of PATH cannot have more than N entries",
});
const maxTextLength = fixedLimit({
  max: 256,
  about: "characters of such a value",
  refusal: "Filter value of PATH cannot be longer than N characters in length",
});
const maxLength = fixedLimit({
  max: 4_096,
  about: "characters of all paths and values of such a filter",
  refusal: "Filter cannot be longer than N characters in length",
});

const tooLong = (what: string, max: number): string =>
  `Filter ${what}cannot be longer than ${max} characters in length`;

const lengthOf = (text: unknown): number => (typeof text === "string" ? [...text].length : 0);

/** Does not count the characters of a text that is certainly too long. */
const isLonger = (text: unknown, max: number): boolean =>
  typeof text === "string" && (text.length > 2 * max || lengthOf(text) > max);

type Field = NonNullable<ReturnType<typeof payloadField>>;

function valueErrors({ path, values }: Condition, fields: readonly Field[]): string[] {
  if (values.length === 0) return [`Filter ${path} has no values: name some, or leave the path out`];
  if (values.length > maxValues) return [`Filter values of ${path} cannot have more than ${maxValues} entries`];
  return values.flatMap((value) => {
    if (isLonger(value, maxTextLength)) return [tooLong(`value of ${path} `, maxTextLength)];
    if (fields.some((field) => field(value))) return [];
    const asText = value !== null && fields.some((field) => field(String(value))) ? `; write "${value}" in quotes` : "";
    return [`Filter ${path} is ${quoted(JSON.stringify(value))} in none of the webhook's events${asText}`];
  });
}

const unknownPath =
  "is in none of the webhook's events: name a field of their payload, such as status or namespace.path";

function conditionErrors(condition: Condition, events: readonly string[]): string[] {
  const { path } = condition;
  if (isLonger(path, maxPathLength)) return [tooLong("path ", maxPathLength)];
  const fields = events.flatMap((event) => payloadField(event as EventName, path) ?? []);
  if (fields.length === 0) return [`Filter path ${quoted(path)} ${unknownPath}`];
  return valueErrors(condition, fields);
}

/** Returns what is wrong with a filter of these events. */
export function filterErrors({ conditions }: Filter, events: readonly string[]): string[] {
  if (conditions.length > maxPaths) return [`Filter cannot have more than ${maxPaths} entries`];
  const errors = conditions.flatMap((condition) => conditionErrors(condition, events));
  if (errors.length > 0) return [...new Set(errors)];
  const length = conditions
    .flatMap(({ path, values }) => [path, ...values])
    .reduce((sum, text) => sum + lengthOf(text), 0);
  return length > maxLength ? [tooLong("", maxLength)] : [];
}

/** Returns a filter as a webhook has it: none if it has no conditions. */
export const storedFilter = (filter: Filter | undefined): Filter | undefined =>
  filter && filter.conditions.length > 0 ? filter : undefined;

function valueAt(record: unknown, path: string): unknown {
  let found = record;
  for (const name of path.split(".")) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return undefined;
    found = Reflect.get(found, name);
  }
  return found;
}

/** Reports whether a payload meets all conditions. Without a filter there are none. */
export const matches = (filter: Filter | undefined, record: unknown): boolean =>
  filter === undefined || filter.conditions.every(({ path, values }) => values.includes(valueAt(record, path)));
