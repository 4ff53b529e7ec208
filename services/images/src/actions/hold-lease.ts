import { FetchFailed } from "@ci/kit/net/fetch-failed";
import type { Context } from "../context.js";
import type { Attempt } from "./fetch-content.js";

type Lease = Disposable & { readonly signal: AbortSignal };

const maxRenewalMs = 2_000;

/** Renews a download's lease with its progress. Aborts on a lost lease, a timeout, a slow server or the service's stop. */
export function holdLease(ctx: Pick<Context, "config" | "images" | "signal">, attempt: Attempt): Lease {
  const { downloadLeaseMs: leaseMs, downloadTimeoutMs: timeoutMs } = ctx.config;
  const ending = new AbortController();
  const renew = async () => {
    if (!(await ctx.images.renew(attempt.doc._id, attempt.token, leaseMs, attempt.upload?.sizeBytes)))
      ending.abort(new Error("The download's lease was lost"));
  };
  const everyMs = Math.min(leaseMs / 3, maxRenewalMs);
  const renewing = setInterval(() => {
    // A failed renewal is retried by the next one, which also notices a lost lease.
    void renew().catch(() => undefined);
    const complaint = attempt.pace.passed(everyMs);
    if (complaint) ending.abort(new FetchFailed(complaint));
  }, everyMs);
  const timer = setTimeout(() => ending.abort(new FetchFailed("timeout")), timeoutMs);
  const stop = () => ending.abort(ctx.signal.reason);
  if (ctx.signal.aborted) stop();
  ctx.signal.addEventListener("abort", stop);
  return {
    signal: ending.signal,
    [Symbol.dispose]() {
      clearInterval(renewing);
      clearTimeout(timer);
      ctx.signal.removeEventListener("abort", stop);
    },
  };
}
