import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { type Pace, pacer } from "@ci/kit/process/pacer";
import { Refusal } from "../http/answer.js";

/** The fields of a form or a query; a repeated name has a list. */
export type FormFields = Readonly<Record<string, string | string[]>>;

/** Fields of a form, whose values may be entries of one list. */
export const maxFields = fixedLimit({
  max: 100,
  about: "fields of a form, or of the query of an upload",
  refusal: "Form cannot have more than N fields",
});

export const tooManyFields = (): Refusal => new Refusal(400, `Form cannot have more than ${maxFields} fields`);

/** Collects fields in one pass. Throws 400 beyond the limit. */
export function fieldsOf(pairs: Iterable<readonly [string, string]>): FormFields {
  const fields: Record<string, string | string[]> = Object.create(null);
  let count = 0;
  for (const [name, value] of pairs) {
    if (++count > maxFields) throw tooManyFields();
    const before = fields[name];
    fields[name] = before === undefined ? value : [before, value].flat();
  }
  return fields;
}

const [plus, space] = [0x2b, 0x20];
const sliceBytes = 64 * 1024;

/** Turns each `+` into a space, because URLSearchParams is slow at that. */
async function spaced(form: Buffer, pace: Pace): Promise<Buffer> {
  const bytes = Buffer.from(form);
  for (let at = 0; at < bytes.length; at += sliceBytes) {
    const slice = bytes.subarray(at, at + sliceBytes);
    for (let n = 0; n < slice.length; n++) if (slice[n] === plus) slice[n] = space;
    await pace(slice.length);
  }
  return bytes;
}

/** Returns the fields of a urlencoded form, and counts them before it decodes any. */
export async function fieldsOfForm(form: Buffer): Promise<FormFields> {
  const pace = pacer(sliceBytes);
  const text = (await spaced(form, pace)).toString();
  if (text.split("&", maxFields + 1).length > maxFields) throw tooManyFields();
  await pace(text.length);
  return fieldsOf(new URLSearchParams(text));
}
