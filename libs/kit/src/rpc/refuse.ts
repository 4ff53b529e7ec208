import { currentCaller } from "./caller.js";
import { type Fields, invalid } from "./fault.js";

/** Throws Fault `invalid` with all complaints. Call it after finding the request's target and before any change. */
export function refuse(fields: Fields): void {
  const wrong = Object.entries(fields).filter(([, complaints]) => complaints.length > 0);
  if (wrong.length > 0 || currentCaller()?.refused) throw invalid(Object.fromEntries(wrong));
}
