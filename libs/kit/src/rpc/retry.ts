import { setTimeout as delay } from "node:timers/promises";
import { ClientError, type ClientMiddleware, Status } from "nice-grpc";
import { faultKey } from "./fault.js";

/** Long enough to find a replica's replacement. */
const patienceMs = 2_000;
const firstPauseMs = 20;
const maxPauseMs = 300;

/** The message of grpc-js for a call that it never sent. */
const unsent = /No connection established|No addresses resolved|Name resolution failed/;

/** Reports by a method's name whether it changes nothing. */
export const readsOnly = (path: string): boolean => /\/(Get|List|Allow|Authenticate|Resolve)\w*$/.test(path);

const harmless = (path: string, error: unknown): boolean =>
  error instanceof ClientError && error.code === Status.UNAVAILABLE && (unsent.test(error.details) || readsOnly(path));

/** Retries unary calls that met no running replica, but not when a peer itself reports `unavailable`. */
export const retryUnary: ClientMiddleware = async function* (call, options) {
  if (call.requestStream || call.responseStream) return yield* call.next(call.request, options);
  const from = performance.now();
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
    let hasFault = false;
    try {
      return yield* call.next(call.request, {
        ...options,
        onTrailer(trailer) {
          hasFault = trailer.has(faultKey);
          options.onTrailer?.(trailer);
        },
      });
    } catch (error) {
      const spentMs = performance.now() - from;
      if (hasFault || options.signal?.aborted || spentMs > patienceMs) throw error;
      if (!harmless(call.method.path, error)) throw error;
    }
    await delay(pauseMs, undefined, { signal: options.signal });
  }
};
