import { visible } from "./format/visible.js";

interface Complaint {
  readonly message: string;
  readonly line?: number | null | undefined;
  readonly column?: number | null | undefined;
}

const place = /^Manifest line \d+(, column \d+)?: /;

/** Returns a complaint about a manifest in the format of compiler errors, with its place only once. */
export const complaintLine = (name: string, { message, line, column }: Complaint): string =>
  visible(
    typeof line === "number" ? `${name}:${line}:${column}: ${message.replace(place, "")}` : `${name}: ${message}`,
  );
