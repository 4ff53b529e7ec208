import { formDecoded } from "@ci/kit/bytes/form-decoded";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { pacer } from "@ci/kit/turns/pacer";
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

export function addField(fields: Record<string, string | string[]>, name: string, value: string): void {
  const before = fields[name];
  fields[name] = before === undefined ? value : [before, value].flat();
}

/** Collects fields in one pass. Throws 400 beyond the limit. */
export function fieldsOf(pairs: Iterable<readonly [string, string]>): FormFields {
  const fields: Record<string, string | string[]> = Object.create(null);
  let count = 0;
  for (const [name, value] of pairs) {
    if (++count > maxFields) throw tooManyFields();
    addField(fields, name, value);
  }
  return fields;
}

const [ampersand, equals] = [0x26, 0x3d];
const sliceBytes = 64 * 1024;

function partsOf(form: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at <= form.length; ) {
    const next = form.indexOf(ampersand, at);
    const end = next < 0 ? form.length : next;
    if (parts.push(form.subarray(at, end)) > maxFields) throw tooManyFields();
    at = end + 1;
  }
  return parts;
}

/** Returns the fields of a urlencoded form, and counts them before it decodes any. URLSearchParams would decode all at once. */
export async function fieldsOfForm(form: Buffer): Promise<FormFields> {
  const pace = pacer(sliceBytes);
  const text = async (bytes: Buffer) => (await formDecoded(bytes, pace)).toString();
  const pairs: [string, string][] = [];
  for (const part of partsOf(form)) {
    if (part.length === 0) continue;
    const at = part.indexOf(equals);
    const end = at < 0 ? part.length : at;
    pairs.push([await text(part.subarray(0, end)), await text(part.subarray(end + 1))]);
  }
  return fieldsOf(pairs);
}
