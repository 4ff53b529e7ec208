/** Returns an expression for a time from now, by the clock of MongoDB. */
export const inMs = (ms: number) => ({ $add: ["$$NOW", ms] });

/** Returns fields for a `$set` in a pipeline, which would take some values for expressions. Leaves out undefined ones. */
export const literals = (fields: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [[key, { $literal: value }]])),
  );

/** Returns the names of fields that are set to undefined, for an `$unset`. */
export const undefinedIn = (fields: object): string[] =>
  Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [key] : []));
