import type { IncomingMessage } from "node:http";
import { fieldsOfQuery } from "./body.js";
import { type Form, readForm } from "./form.js";
import { bodyKind, contentOf, readAll } from "./incoming.js";

/** More than an object may have by default, so that the fields of its form may come in any order. */
const heldBytes = 8 * 1024 * 1024;

async function* nothing(): AsyncGenerator<Buffer> {}

/**
 * The content of an upload and its parameters: raw with the parameters in the query, or a form. A urlencoded form
 * holds no content.
 */
export async function readUpload(
  request: IncomingMessage,
  query: URLSearchParams,
  limitBytes: number,
): Promise<Required<Form>> {
  const inQuery = fieldsOfQuery(query);
  const kind = bodyKind(request);
  if (kind === "multipart") {
    const { fields, file } = await readForm(request, { limitBytes, heldBytes });
    return { fields: { ...inQuery, ...fields }, file: file ?? partWithoutName(fields.file) };
  }
  if (kind !== "urlencoded") return { fields: inQuery, file: contentOf(request) };
  const text = (await readAll(request, limitBytes)).toString();
  return { fields: { ...inQuery, ...fieldsOfQuery(new URLSearchParams(text)) }, file: nothing() };
}

/** A part `file` without file name is read as a field: its text is the content. */
async function* partWithoutName(text: string | string[] | undefined): AsyncGenerator<Buffer> {
  if (typeof text === "string") yield Buffer.from(text);
}
