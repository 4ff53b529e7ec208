import type { Caller } from "@ci/kit/caller";
import type { Request, Response } from "express";
import type { Found } from "./match.js";
import type { Session } from "./sessions.js";

/** One request and what is known about it so far. */
export interface Exchange {
  readonly request: Request;
  readonly response: Response;
  /** On whose behalf other services are called. */
  caller: Caller;
  /** Path and query as sent. */
  readonly url: string;
  /** The row of the table that answers it, and the values of its path. */
  found?: Found;
  /** Absent where no token is needed. */
  session?: Session;
}

/** The exchange a request belongs to; the policies hand it on beside the response. */
export const exchangeOf = (response: Response): Exchange => response.locals.exchange as Exchange;

/** Aborted when the client goes away before it has its answer. */
export function gone({ response }: Exchange): AbortSignal {
  const leaving = new AbortController();
  response.once("close", () => leaving.abort());
  if (response.destroyed) leaving.abort();
  return leaving.signal;
}
