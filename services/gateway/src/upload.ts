import type { Fields } from "@ci/kit/rpc/fault";
import { fieldsOfQuery } from "./body.js";
import { type Exchange, queryOf } from "./exchange.js";
import { readForm } from "./form.js";
import { type BodyKind, bodyKind, contentOf, readAll } from "./incoming.js";
import { readFields, type Shape, type Values } from "./shape.js";

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

/** curl's --data-binary calls every file a urlencoded form: with the name in the query the body is the content. */
const isContent = (kind: BodyKind, exchange: Exchange): boolean =>
  kind === "raw" || kind === "json" || (kind === "urlencoded" && queryOf(exchange).has("name"));

async function receive(exchange: Exchange, limitBytes: number): Promise<Sent> {
  const { request } = exchange;
  const kind = bodyKind(request);
  if (isContent(kind, exchange)) return { fields: {}, file: contentOf(request) };
  if (kind === "multipart") {
    const { fields, file } = await readForm(request, { limitBytes, heldBytes });
    return { fields, file: file ?? textOf(fields.file) };
  }
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
