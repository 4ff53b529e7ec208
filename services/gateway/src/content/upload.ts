import type { Fields } from "@ci/kit/rpc/fault";
import { fieldsOfQuery } from "./body.js";
import { type Exchange, queryOf } from "../http/exchange.js";
import { readForm } from "./form.js";
import { bodyKind, contentOf, readAll } from "./incoming.js";
import { readFields, type Shape, type Values } from "../http/shape.js";

/** More than an object may have by default, so that the fields of its form may come in any order. */
const heldBytes = 8 * 1024 * 1024;

/** Content and its parameters as they were sent. */
interface Sent {
  readonly fields: Readonly<Record<string, string | string[]>>;
  readonly file: AsyncIterable<Buffer>;
}

/** A urlencoded form holds no content. */
async function* nothing(): AsyncGenerator<Buffer> {}

/** A part `file` without file name is read as a field: its text is the content. */
async function* textOf(part: string | string[] | undefined): AsyncGenerator<Buffer> {
  if (typeof part === "string") yield Buffer.from(part);
}

async function receive({ request }: Exchange, limitBytes: number): Promise<Sent> {
  const kind = bodyKind(request);
  if (kind === "multipart") {
    const { fields, file } = await readForm(request, { limitBytes, heldBytes });
    return { fields, file: file ?? textOf(fields.file) };
  }
  if (kind !== "urlencoded") return { fields: {}, file: contentOf(request) };
  const text = (await readAll(request, limitBytes)).toString();
  return { fields: fieldsOfQuery(new URLSearchParams(text)), file: nothing() };
}

/** The content of an upload, its parameters from the query or, before that, from its form, and what is wrong with these. */
export async function readUpload<S extends Shape>(
  exchange: Exchange,
  shape: S,
  limitBytes: number,
): Promise<{ fields: Values<S>; complaints: Fields; file: AsyncIterable<Buffer> }> {
  const { fields, file } = await receive(exchange, limitBytes);
  const { values, complaints } = readFields(shape, { ...fieldsOfQuery(queryOf(exchange)), ...fields });
  return { fields: values as Values<S>, complaints, file };
}
