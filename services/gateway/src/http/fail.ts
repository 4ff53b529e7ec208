import type { Log } from "@ci/kit/process/log";
import { runAs } from "@ci/kit/rpc/caller";
import { Fault } from "@ci/kit/rpc/fault";
import { answerTo, Refusal, sendJson } from "./answer.js";
import { prefersPage } from "./negotiate.js";
import type { Routed } from "./routed.js";
import { unstored } from "./security.js";
import { send } from "./send.js";

/** Logs why a request got 500 or 503, unless the service that failed has logged it. */
function logReason(log: Log, { request, found }: Routed, status: number, thrown: unknown): void {
  const err = thrown instanceof Fault ? thrown.cause : thrown;
  if (!err || thrown instanceof Refusal) return;
  const line = { err, method: request.method, route: found?.row.path };
  if (status === 500) log.error(line, "request failed");
  if (status === 503) log.warn(line, "service unavailable");
}

/** Answers a failure. If part of the response is sent, closes the connection so that it does not look complete. */
export function fail(log: Log, exchange: Routed, thrown: unknown): void {
  const { response, caller } = exchange;
  // The client disconnected: there is nothing to send and nothing to log.
  const disconnected = response.destroyed || (thrown instanceof Error && thrown.name === "AbortError");
  const { status, body, headers } = answerTo(thrown);
  if (!disconnected) runAs(caller, () => logReason(log, exchange, status, thrown));
  if (response.headersSent && !disconnected) runAs(caller, () => log.warn({ err: thrown }, "response cut off"));
  if (response.headersSent || disconnected) return void response.destroy();
  if (thrown instanceof Refusal && thrown.page && prefersPage(response.req))
    return void send(response, 303, { Location: thrown.page, ...unstored });
  sendJson(response, status, body, headers);
}
