import { Fault } from "@ci/kit/rpc/fault";

/** What a user is told about an error: the message of a Fault; everything else is for the log. */
export const reasonOf = (error: unknown): string =>
  error instanceof Fault ? (Object.values(error.fields ?? {})[0]?.[0] ?? error.message) : "internal error";

/** The queue's answer when the build belongs to somebody else by now. */
export const isConflict = (error: unknown): boolean => error instanceof Fault && error.code === "conflict";
