import type { IncomingMessage } from "node:http";
import { Refusal } from "../http/answer.js";
import type { Action } from "../http/row.js";
import { fromForm } from "../http/shape.js";
import { fieldsOfForm } from "./fields.js";
import { readForm } from "./form.js";
import { bodyKind, readAll } from "./incoming.js";
import { parseJson } from "./json.js";

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the fields of a JSON body; with `whole` the body is the value of that field. */
function fieldsOfJson(bytes: Buffer, whole: string | undefined): Record<string, unknown> {
  const value = parseJson(bytes);
  // A body that is just null has the wrong type. It is not a missing field.
  if (whole) return { [whole]: value ?? false };
  if (!isObject(value)) throw new Refusal(400, "Request body must be a JSON object");
  return value;
}

/**
 * Returns the fields of a request's body by its Content-Type: none for an empty body, nor for one of any other type,
 * which is not read. Throws 413 for a body that is too large and 400 for a malformed one.
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
  return fromForm(body, await fieldsOfForm(bytes));
}
