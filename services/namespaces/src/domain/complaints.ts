import { type Fields, invalid } from "@ci/kit/fault";

/** Throws Fault `invalid` with all complaints about all fields, if there are any. */
export function refuse(fields: Fields): void {
  const wrong = Object.entries(fields).filter(([, complaints]) => complaints.length > 0);
  if (wrong.length > 0) throw invalid(Object.fromEntries(wrong));
}
