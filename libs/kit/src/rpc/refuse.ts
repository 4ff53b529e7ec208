import { currentCaller } from "./caller.js";
import { type Fields, invalid } from "./fault.js";

/**
 * Ends the checks of a request: throws Fault `invalid` with all complaints about all fields, if there are any or if
 * the request is refused already. To be called once its target is known to exist, and before anything is created.
 */
export function refuse(fields: Fields): void {
  const wrong = Object.entries(fields).filter(([, complaints]) => complaints.length > 0);
  if (wrong.length > 0 || currentCaller()?.refused) throw invalid(Object.fromEntries(wrong));
}
