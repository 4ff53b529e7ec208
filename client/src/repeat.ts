import { errorOf } from "./errors.js";
import { pauseAfter } from "./follow.js";

type Fetch = (request: Request) => Promise<Response>;

export interface RepeatOptions {
  /** Ends the pause before a repeated request. To end requests, pass a signal with each. */
  readonly repeatSignal?: AbortSignal | undefined;
  /** Called before each pause. */
  readonly onRepeat?: ((error: unknown) => void) | undefined;
}

const makesBuild = /\/(builds|b\/[^/]+\/\d+\/restart|cron\/\d+\/run)$/;
const maxRepeats = 5;
const firstPauseMs = 250;
/** If the server asks for a longer pause, the request is not repeated. */
const longestPauseMs = 15_000;
const passing: ReadonlySet<number> = new Set([502, 503, 504]);
/** Codes of Node.js for a connection that broke or was refused. Others, such as a wrong host name, would recur. */
const broken: ReadonlySet<unknown> = new Set([
  ...["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "EAI_AGAIN", "UND_ERR_SOCKET"],
]);

/** Returns a new Idempotency-Key. */
export const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** Returns the error after which a request is repeated; undefined if that would not help. Browsers tell no cause. */
function lost(error: unknown): Error | undefined {
  if (!(error instanceof TypeError)) return undefined;
  const { cause } = error as { readonly cause?: { readonly code?: unknown } };
  return cause === undefined || broken.has(cause.code) ? error : undefined;
}
const refusal = (response: Response): Error | undefined =>
  passing.has(response.status) ? errorOf(response, undefined) : undefined;

/** Resolves after `ms`. Rejects at a signal. */
const pauseFor = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });

/** Returns a response whose body has arrived. */
async function whole(response: Response): Promise<Response> {
  if (!response.body) return response;
  const { status, statusText, headers } = response;
  return new Response(await response.arrayBuffer(), { status, statusText, headers });
}

/** Wraps a `fetch`: a request that makes a build gets an Idempotency-Key, and is repeated while the server cannot be reached. */
export function repeating(fetch: Fetch, { repeatSignal, onRepeat }: RepeatOptions, pause = pauseFor): Fetch {
  return async (request) => {
    if (request.method !== "POST" || !makesBuild.test(new URL(request.url).pathname)) return fetch(request);
    if (!request.headers.has("Idempotency-Key")) request.headers.set("Idempotency-Key", newKey());
    const ended = AbortSignal.any([request.signal, ...(repeatSignal ? [repeatSignal] : [])]);
    for (let repeats = 0, usualMs = firstPauseMs; ; repeats++, usualMs *= 2) {
      const sent = fetch(request.clone()).then(whole);
      if (repeats === maxRepeats) return sent;
      const failed = await sent.then(refusal, lost);
      const pauseMs = failed ? pauseAfter(failed, usualMs * (0.75 + Math.random() / 2)) : 0;
      if (!failed || pauseMs > longestPauseMs) return sent;
      onRepeat?.(failed);
      await pause(pauseMs, ended);
    }
  };
}
