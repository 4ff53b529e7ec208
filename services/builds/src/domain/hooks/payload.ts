/** Returns the value at a path in JSON of unknown shape; undefined if any step is missing. */
export function at(payload: unknown, ...path: readonly string[]): unknown {
  let here = payload;
  for (const step of path) {
    if (typeof here !== "object" || here === null) return undefined;
    here = Object.hasOwn(here, step) ? (here as Record<string, unknown>)[step] : undefined;
  }
  return here;
}

export function textAt(payload: unknown, ...path: readonly string[]): string {
  const value = at(payload, ...path);
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

export function numberAt(payload: unknown, ...path: readonly string[]): number | undefined {
  const value = at(payload, ...path);
  return typeof value === "number" ? value : undefined;
}

export function listAt(payload: unknown, ...path: readonly string[]): readonly unknown[] {
  const value = at(payload, ...path);
  return Array.isArray(value) ? value : [];
}
