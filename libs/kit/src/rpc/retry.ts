import { setTimeout as delay } from "node:timers/promises";
import { ClientError, type ClientMiddleware, Status } from "nice-grpc";
import { faultKey } from "./fault.js";

/** How long a peer without any replica that answers is waited for: long enough to learn of the one that comes. */
const patienceMs = 2_000;
const firstPauseMs = 20;
const longestPauseMs = 300;

/** What grpc-js says of a call that it could not even begin to send. */
const unsent = /No connection established|No addresses resolved|Name resolution failed/;
/** Names of calls that change nothing. */
const reading = /\/(Get|List|Allow|Authenticate|Resolve)\w*$/;

/** Whether repeating a call can do no harm: it never went out, or all it does is to look. */
const harmless = (path: string, error: unknown): boolean =>
  error instanceof ClientError &&
  error.code === Status.UNAVAILABLE &&
  (unsent.test(error.details) || reading.test(path));

/**
 * Lets a call that met a replica on its way out be answered by another one, or by the one that comes. What a peer
 * itself calls unavailable stays so. A call that sends or receives a stream is repeated by whoever knows how far it got.
 */
export const retryUnary: ClientMiddleware = async function* (call, options) {
  if (call.requestStream || call.responseStream) return yield* call.next(call.request, options);
  const from = performance.now();
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    let answered = false;
    try {
      return yield* call.next(call.request, {
        ...options,
        onTrailer(trailer) {
          answered = trailer.has(faultKey);
          options.onTrailer?.(trailer);
        },
      });
    } catch (error) {
      const spentMs = performance.now() - from;
      if (answered || options.signal?.aborted || spentMs > patienceMs) throw error;
      if (!harmless(call.method.path, error)) throw error;
    }
    await delay(pauseMs, undefined, { signal: options.signal });
  }
};
