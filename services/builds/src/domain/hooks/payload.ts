/** What lies at a path in JSON of unknown shape; undefined when any step of it is missing. */
export function at(payload: unknown, ...path: readonly string[]): unknown {
  let here = payload;
  for (const step of path) {
    if (typeof here !== "object" || here === null) return undefined;
    here = Object.hasOwn(here, step) ? (here as Record<string, unknown>)[step] : undefined;
  }
  return here;
}

/** A text or number at a path, as text; empty for anything else. */
export function textAt(payload: unknown, ...path: readonly string[]): string {
  const value = at(payload, ...path);
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** A list at a path; empty for anything else. */
export function listAt(payload: unknown, ...path: readonly string[]): readonly unknown[] {
  const value = at(payload, ...path);
  return Array.isArray(value) ? value : [];
}

/** The payload of a body: JSON, or a form whose field `payload` holds JSON. Undefined for what is neither. */
export function payloadOf(contentType: string, body: Uint8Array): unknown {
  const text = Buffer.from(body).toString();
  const isForm = contentType.trimStart().toLowerCase().startsWith("application/x-www-form-urlencoded");
  try {
    return JSON.parse(isForm ? (new URLSearchParams(text).get("payload") ?? "") : text);
  } catch {
    return undefined;
  }
}
