import type { Params, Row } from "./row.js";

/** The row for a request, or the allowed methods of its path; undefined for an unknown path. */
export type Match = Found | { readonly allow: readonly string[] } | undefined;

export interface Found {
  /** Path of the request, below that of the public URL. */
  readonly path: string;
  readonly row: Row;
  readonly params: Params;
}

interface Place {
  readonly parts: readonly string[];
  readonly methods: Map<string, Row>;
}

const name = "[A-Za-z0-9][A-Za-z0-9._-]*";
/** The pattern of namespace paths. No name begins with `-`, so a lone `-` always ends the path. */
export const namespacePattern = `^${name}(/${name})*$`;
const namespacePath = new RegExp(namespacePattern);
const numbers = new Set([":number", ":id", ":delivery"]);

/** Returns the values of a path that belongs to this place, otherwise undefined. */
function valuesAt({ parts }: Place, segments: readonly string[]): Params | undefined {
  const values: Record<string, string | number> = {};
  let at = 0;
  for (const part of parts) {
    const segment = segments[at];
    if (segment === undefined) return undefined;
    if (part === ":path") {
      const dash = segments.indexOf("-", at);
      const end = dash < 0 ? segments.length : dash;
      const path = segments.slice(at, end).join("/");
      if (!namespacePath.test(path)) return undefined;
      values.path = path;
      at = end;
    } else if (part.endsWith("+")) {
      const rest = segments.slice(at).join("/");
      if (rest === "") return undefined;
      values[part.slice(1, -1)] = rest;
      at = segments.length;
    } else {
      if (!part.startsWith(":")) {
        if (part !== segment) return undefined;
      } else if (numbers.has(part)) {
        if (!/^\d+$/.test(segment) || !Number.isSafeInteger(Number(segment))) return undefined;
        values[part.slice(1)] = Number(segment);
      } else {
        if (segment === "") return undefined;
        values[part.slice(1)] = segment;
      }
      at++;
    }
  }
  return at === segments.length ? (values as unknown as Params) : undefined;
}

/** Splits a path and percent-decodes each segment once; undefined if malformed. Ignores one trailing slash. */
export function segmentsOf(path: string): string[] | undefined {
  const segments = path.slice(1).split("/");
  if (segments.length > 1 && segments.at(-1) === "") segments.pop();
  if (!path.includes("%")) return segments;
  try {
    return segments.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

/**
 * Returns a function that finds rows by method and path. In a row's path `:path` matches a whole namespace path,
 * `:number`, `:id` and `:delivery` match digits, `:name+` matches the rest with its slashes, any other word one segment.
 */
export function matcher(rows: readonly Row[]): (method: string, path: string) => Match {
  const places = new Map<string, Place>();
  for (const row of rows) {
    const parts = row.path.slice(1).split("/");
    const place = places.get(row.path) ?? { parts, methods: new Map<string, Row>() };
    place.methods.set(row.method, row);
    if (row.method === "GET") place.methods.set("HEAD", row);
    places.set(row.path, place);
  }
  const byFirst = new Map<string, Place[]>();
  for (const place of places.values()) {
    const first = place.parts[0]!;
    byFirst.set(first, [...(byFirst.get(first) ?? []), place]);
  }
  return (method, path) => {
    const segments = segmentsOf(path);
    if (!segments) return undefined;
    for (const place of byFirst.get(segments[0]!) ?? []) {
      const params = valuesAt(place, segments);
      if (!params) continue;
      const row = place.methods.get(method);
      return row ? { path, row, params } : { allow: [...place.methods.keys()] };
    }
    return undefined;
  };
}
