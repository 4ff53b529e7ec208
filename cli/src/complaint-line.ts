import { visible } from "./format/visible.js";

interface Complaint {
  readonly message: string;
  readonly line?: number | null | undefined;
  readonly column?: number | null | undefined;
}

/** Returns a complaint about a manifest in the format of compiler errors. */
export const complaintLine = (name: string, { message, line, column }: Complaint): string =>
  visible(`${name}${typeof line === "number" ? `:${line}:${column}` : ""}: ${message}`);
