import { FetchFailed } from "@ci/kit/net/fetch-failed";
import type { Context } from "./context.js";

/** A claim to a download. Its signal fires when the attempt has to end, and says why. */
type Lease = Disposable & { readonly signal: AbortSignal };

const longestPauseMs = 2_000;

/**
 * Keeps a claimed download from being taken over, and says how many bytes there are. The signal fires when the claim is lost all the same, as it is when
 * the image was deleted; when the attempt has taken too long; and when the service stops.
 */
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
      ending.abort(new Error("The download is somebody else's now"));
  };
  // A renewal that fails is followed by the next one; by then the claim may be lost.
  const renewing = setInterval(() => void renew().catch(() => undefined), Math.min(leaseMs / 3, longestPauseMs));
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
