import type { Log } from "@ci/kit/process/log";
import { runAs } from "@ci/kit/rpc/caller";
import { Fault } from "@ci/kit/rpc/fault";
import { prefersPage } from "../web/negotiate.js";
import { answerTo, isUnexpected, Refusal, sendJson } from "./answer.js";
import type { Exchange } from "./exchange.js";
import { unstored } from "./security.js";
import { send } from "./send.js";

/** Answers a failure. If part of the response is sent, closes the connection so that it does not look complete. */
export function fail(log: Log, { response, caller }: Exchange, thrown: unknown): void {
  // The client disconnected: there is nothing to send and nothing to log.
  const disconnected = response.destroyed || (thrown instanceof Error && thrown.name === "AbortError");
  if (isUnexpected(thrown) && !disconnected) runAs(caller, () => log.error({ err: thrown }, "request failed"));
  const { status, body, headers } = answerTo(thrown);
  // Only this log line says why a service could not be reached, or could not make a change.
  if (thrown instanceof Fault && status === 503 && thrown.cause && !disconnected)
    runAs(caller, () => log.warn({ err: thrown.cause }, "service unavailable"));
  if (response.headersSent && !disconnected) runAs(caller, () => log.warn({ err: thrown }, "response cut off"));
  if (response.headersSent || disconnected) return void response.destroy();
  if (thrown instanceof Refusal && thrown.page && prefersPage(response.req))
    return void send(response, 303, { Location: thrown.page, ...unstored });
  sendJson(response, status, body, headers);
}
