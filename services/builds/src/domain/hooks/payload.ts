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

/** Parses JSON, or a form whose field `payload` holds JSON. Returns undefined for anything else. */
export function payloadOf(contentType: string, body: Uint8Array): unknown {
  const text = Buffer.from(body).toString();
  const isForm = contentType.trimStart().toLowerCase().startsWith("application/x-www-form-urlencoded");
  try {
    return JSON.parse(isForm ? (new URLSearchParams(text).get("payload") ?? "") : text);
  } catch {
    return undefined;
  }
}
