import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { Log } from "@ci/kit/process/log";
import { asFault, Fault } from "@ci/kit/rpc/fault";
import { secure } from "./security.js";
import { send } from "./send.js";

/** A failure that only HTTP has: a wrong method, rate or range, or an unreadable body. */
export class Refusal extends Error {
  constructor(
    readonly status: 400 | 401 | 403 | 405 | 413 | 416 | 429 | 503,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
    /** Path of the page that tells a browser. */
    readonly page?: string,
  ) {
    super(message);
  }
}

/** How long clients should wait before they retry. */
const retryAfterSeconds = "2";

/** The response to a failure: status, JSON body and headers. Reveals nothing about the inside of the service. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const unavailable: Answer = {
  status: 503,
  body: { message: "Service unavailable" },
  headers: { "Retry-After": retryAfterSeconds },
};

export function answerTo(thrown: unknown): Answer {
  if (thrown instanceof Refusal)
    return { status: thrown.status, body: { message: thrown.message }, headers: thrown.headers };
  const { code, message, fields } = asFault(thrown);
  switch (code) {
    case "invalid":
      return { status: 400, body: fields ?? { message } };
    case "precondition":
      return { status: 400, body: { message } };
    case "exhausted":
      return { status: 429, body: { message }, headers: { "Retry-After": retryAfterSeconds } };
    case "unauthenticated":
      return { status: 401, body: { message: "Unauthorized" }, headers: { "WWW-Authenticate": "Bearer" } };
    case "forbidden":
      return { status: 403, body: { message } };
    case "not_found":
      return { status: 404, body: { message: "Not Found" } };
    // The state changed meanwhile. A retry may succeed, and the API has no better status for this.
    case "conflict":
    case "unavailable":
      return unavailable;
    case "internal":
      return { status: 500, body: { message: "Internal error" } };
  }
}

type Headers = Readonly<Record<string, string>>;

export const jsonType = { "Content-Type": "application/json; charset=utf-8" } as const;

export const sendJson = (response: ServerResponse, status: number, value: unknown, headers: Headers = {}): void =>
  send(response, status, { ...jsonType, ...headers }, JSON.stringify(value));

/** Answers a request that no policy has answered because express itself failed, and logs the failure. */
export function sendUnhandled(log: Log, response: ServerResponse, error: unknown): void {
  if (!response.headersSent && !response.hasHeader("X-Request-Id")) response.setHeader("X-Request-Id", randomUUID());
  const { method } = response.req;
  if (error) log.error({ err: error, requestId: response.getHeader("X-Request-Id"), method }, "request failed");
  if (response.headersSent) return void response.destroy();
  secure(response);
  const { status, body, headers } = answerTo(error ?? new Fault("not_found", "Not Found"));
  sendJson(response, status, body, headers);
}
