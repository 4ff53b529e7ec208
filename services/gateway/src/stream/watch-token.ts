import { asFault } from "@ci/kit/rpc/fault";
import { sessionOf } from "../auth/authenticate.js";
import type { Context } from "../context.js";
import type { Exchange } from "../http/exchange.js";

/** How long a token that has ended can keep a stream open. */
const tokenCheckMs = 5_000;

/** Aborts `ended` when the token of a request is no longer valid. A check that failed is repeated. */
export function watchToken(
  ctx: Pick<Context, "sessions" | "config">,
  exchange: Exchange,
  ended: AbortController,
): Disposable {
  const timer = setInterval(() => {
    sessionOf(ctx, exchange).catch((error) => {
      if (asFault(error).code !== "unavailable") ended.abort(error);
    });
  }, tokenCheckMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
