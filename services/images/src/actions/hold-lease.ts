import { FetchFailed } from "@ci/kit/net/fetch-failed";
import type { Context } from "../context.js";

type Lease = Disposable & { readonly signal: AbortSignal };

const maxRenewalMs = 2_000;

/** Renews a download's lease with its progress, and aborts on a lost lease, a timeout or the service's stop. */
export function holdLease(
  ctx: Pick<Context, "config" | "images" | "signal">,
  id: number,
  token: string,
  received: () => number | undefined,
): Lease {
  const { downloadLeaseMs: leaseMs, downloadTimeoutMs: timeoutMs } = ctx.config;
  const ending = new AbortController();
  const renew = async () => {
    if (!(await ctx.images.renew(id, token, leaseMs, received())))
      ending.abort(new Error("The download's lease was lost"));
  };
  // A failed renewal is retried by the next one, which also notices a lost lease.
  const renewing = setInterval(() => void renew().catch(() => undefined), Math.min(leaseMs / 3, maxRenewalMs));
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
