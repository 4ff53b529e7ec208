import type { Log } from "@ci/kit/process/log";
import { runAs } from "@ci/kit/rpc/caller";
import { Fault } from "@ci/kit/rpc/fault";
import { answerTo, sendJson, unplanned } from "./answer.js";
import type { Exchange } from "./exchange.js";

/**
 * Answers a failure. When part of the answer is out already, all that is left is to close the connection, so that
 * the client does not take the part for the whole.
 */
export function fail(log: Log, { response, caller }: Exchange, thrown: unknown): void {
  // Whoever went away in the middle needs no answer, and it is nobody's fault.
  const left = response.destroyed || (thrown instanceof Error && thrown.name === "AbortError");
  if (unplanned(thrown) && !left) runAs(caller, () => log.error({ err: thrown }, "request failed"));
  // Another service was away: it heals, but who looks for the reason finds it nowhere else.
  if (thrown instanceof Fault && thrown.code === "unavailable" && thrown.cause && !left)
    runAs(caller, () => log.warn({ err: thrown.cause }, "service unavailable"));
  if (response.headersSent || left) return void response.destroy();
  const { status, body, headers } = answerTo(thrown);
  sendJson(response, status, body, headers);
}
