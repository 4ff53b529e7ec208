import type { components } from "./gen/openapi.js";

type Filter = NonNullable<components["schemas"]["Webhook"]["filter"]>;
type Value = Filter[string][number];

/** Returns the value that JSON has for a text, such as 5, true or "5" in quotes, or else the text itself. */
function scalarOf(text: string): Value {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "number") return Number.isFinite(value) ? value : text;
    return typeof value === "object" && value !== null ? text : (value as Value);
  } catch {
    return text;
  }
}

/**
 * Returns the filter of a webhook for conditions such as `status=failed`. Conditions with the same path are alternatives.
 * Throws an Error if one has another form.
 */
export function filterOf(conditions: readonly string[]): Filter {
  const values = new Map<string, Value[]>();
  for (const condition of conditions) {
    const at = condition.indexOf("=");
    if (at < 1) throw new Error(`A condition has the form PATH=VALUE, such as status=failed: "${condition}" does not`);
    const path = condition.slice(0, at).trim();
    values.set(path, [...(values.get(path) ?? []), scalarOf(condition.slice(at + 1).trim())]);
  }
  return Object.fromEntries(values);
}

const textOf = (value: Value): string => {
  const isPlain = typeof value === "string" && scalarOf(value.trim()) === value && !/[\r\n]/.test(value);
  return isPlain ? value : JSON.stringify(value);
};

/** Returns the conditions of a webhook's filter. `filterOf` returns the same filter for them. */
export const conditionsOf = (filter: Filter): string[] =>
  Object.entries(filter).flatMap(([path, values]) => values.map((value) => `${path}=${textOf(value)}`));
