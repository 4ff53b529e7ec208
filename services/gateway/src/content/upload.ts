import type { Fields } from "@ci/kit/rpc/fault";
import { confirmToken } from "../auth/authenticate.js";
import { type Exchange, queryOf } from "../http/exchange.js";
import { readFields, type Shape, type Values } from "../http/shape.js";
import { type FormFields, fieldsOf, fieldsOfForm } from "./fields.js";
import { readForm } from "./form.js";
import { heldBytes } from "./holding.js";
import { bodyKind, contentOf, readAll } from "./incoming.js";

type Authority = Parameters<typeof confirmToken>[0];

interface Upload {
  readonly fields: FormFields;
  readonly complaints?: Fields;
  readonly file: AsyncIterable<Buffer>;
}

async function* nothing(): AsyncGenerator<Buffer> {}

/** Yields the content of a part `file` without file name, which arrives as a text field. */
async function* textOf(part: string | string[] | undefined): AsyncGenerator<Buffer> {
  if (typeof part === "string") yield Buffer.from(part);
}

/** Says what is wrong with such a part if reading it as text has damaged it. */
const damage = (part: string | string[] | undefined): Fields =>
  part?.includes("\ufffd") ? { file: ["File needs a file name unless it is text in UTF-8"] } : {};

/** Reports whether a urlencoded body holds fields. curl's --data-binary calls files forms, so `name` in the query decides. */
export const holdsFields = (exchange: Exchange): boolean =>
  bodyKind(exchange.request) === "urlencoded" && !queryOf(exchange).has("name");

async function receive(exchange: Exchange, limitBytes: number): Promise<Upload> {
  const { request } = exchange;
  if (bodyKind(request) === "multipart") {
    const { fields, file } = await readForm(request, { limitBytes, heldBytes });
    return file ? { fields, file } : { fields, complaints: damage(fields.file), file: textOf(fields.file) };
  }
  if (!holdsFields(exchange)) return { fields: {}, file: contentOf(request) };
  return { fields: await fieldsOfForm(await readAll(request, limitBytes)), file: nothing() };
}

async function* confirmed(ctx: Authority, exchange: Exchange, file: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* file;
  await confirmToken(ctx, exchange);
}

/** Reads an upload: its content, its parameters, where the form wins over the query, and complaints about these. */
export async function readUpload<S extends Shape>(
  exchange: Exchange,
  shape: S,
  ctx: Authority,
): Promise<{ fields: Values<S>; complaints: Fields; file: AsyncIterable<Buffer>; size: number | undefined }> {
  const { bodyBytes, lengths } = ctx.config;
  const { fields, file, complaints: ofFile } = await receive(exchange, bodyBytes);
  const length = exchange.request.headers["content-length"];
  const isKnown = bodyKind(exchange.request) !== "multipart" && length !== undefined;
  const size = isKnown ? Math.min(Number(length), Number.MAX_SAFE_INTEGER) : undefined;
  const { values, complaints } = readFields(shape, { ...fieldsOf(queryOf(exchange)), ...fields }, lengths);
  return {
    fields: values as Values<S>,
    complaints: { ...complaints, ...ofFile },
    file: confirmed(ctx, exchange, file),
    size,
  };
}
