import { fixedLimit } from "@ci/kit/process/fixed-limit";
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

/** Returns the fields of a urlencoded form, and counts them before it decodes any. */
export function fieldsOfForm(text: string): FormFields {
  if (text.split("&", maxFields + 1).length > maxFields) throw tooManyFields();
  return fieldsOf(new URLSearchParams(text));
}
