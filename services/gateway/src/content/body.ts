import type { IncomingMessage } from "node:http";
import { Refusal } from "../http/answer.js";
import { readForm } from "./form.js";
import { bodyKind, readAll } from "./incoming.js";
import type { Action } from "../http/row.js";
import { fromForm } from "../http/shape.js";

/** Text as UTF-8 and nothing else. */
const utf8 = new TextDecoder("utf-8", { fatal: true });

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    throw new Refusal(400, "Malformed JSON");
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The fields of a JSON body, or of one that as a whole is the value of the field `whole`. */
function fieldsOfJson(bytes: Buffer, whole: string | undefined): Record<string, unknown> {
  const value = parseJson(bytes);
  // A lone null is a value of the wrong kind, not a field that was left out.
  if (whole) return { [whole]: value ?? false };
  if (!isObject(value)) throw new Refusal(400, "Request body must be a JSON object");
  return value;
}

/** The fields of a urlencoded text; a repeated name makes a list. */
export function fieldsOfQuery(pairs: URLSearchParams): Record<string, string | string[]> {
  const fields: Record<string, string | string[]> = Object.create(null);
  for (const name of new Set(pairs.keys())) {
    const values = pairs.getAll(name);
    fields[name] = values.length > 1 ? values : values[0]!;
  }
  return fields;
}

/**
 * The fields of a request's body, by its Content-Type. An empty body has none, and so has one of any other type,
 * which is not read at all. Refuses what is too large (413) or malformed (400).
 */
export async function readBody(
  request: IncomingMessage,
  { body = {}, whole }: Pick<Action, "body" | "whole">,
  limitBytes: number,
): Promise<Record<string, unknown>> {
  const kind = bodyKind(request);
  if (kind === "raw") return {};
  if (kind === "multipart") {
    const { fields } = await readForm(request, { limitBytes, heldBytes: 0 });
    return fromForm(body, fields);
  }
  const bytes = await readAll(request, limitBytes);
  if (bytes.length === 0) return {};
  if (kind === "json") return fieldsOfJson(bytes, whole);
  return fromForm(body, fieldsOfQuery(new URLSearchParams(bytes.toString())));
}
