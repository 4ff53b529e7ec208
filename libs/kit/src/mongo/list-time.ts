import { MongoServerError } from "mongodb";
import { fixedLimit } from "../process/fixed-limit.js";
import { Fault } from "../rpc/fault.js";

const refusal = "The list takes too long to read: narrow the search, or try again later";

/** Options of the queries of lists. A page takes up to three, one after another, while its caller waits for 30 s. */
export const listTime = {
  maxTimeMS: fixedLimit({ max: 9_000, unit: "ms", about: "time of a query of a list or a search", refusal }),
} as const;

const maxTimeExpired = 50;

/** Reports whether a query has exceeded its `maxTimeMS`. */
export const isTooSlow = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === maxTimeExpired;

export function refuseSlow(error: unknown): never {
  if (isTooSlow(error)) throw new Fault("exhausted", refusal, undefined, { cause: error });
  throw error;
}
