import { setTimeout as delay } from "node:timers/promises";
import { status } from "@grpc/grpc-js";
import type { Failure } from "./client-fault.js";

/** Long enough to find a replica's replacement. */
const patienceMs = 2_000;
const firstPauseMs = 20;
const maxPauseMs = 300;

/** The messages of grpc-js for a call that no server has processed. https://www.rfc-editor.org/rfc/rfc9113#section-8.7 */
const unprocessed = /No connection established|No addresses resolved|Name resolution failed|Stream refused by server/;

/** Reports by a method's name whether it changes nothing. */
export const readsOnly = (path: string): boolean => /\/(Get|List|Allow|Authenticate|Resolve)\w*$/.test(path);

/** Reports whether a call that met no running replica may be repeated. */
export const isHarmless = (path: string, { code, details }: Failure): boolean =>
  code === status.UNAVAILABLE && (unprocessed.test(details) || readsOnly(path));

/** Repeats a call until two seconds after its first failure, while `mayRepeat` allows it. */
export async function repeated<T>(
  call: () => Promise<T>,
  mayRepeat: (error: unknown) => boolean,
  signal?: AbortSignal,
): Promise<T> {
  let failedAt = Number.POSITIVE_INFINITY;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
    try {
      return await call();
    } catch (error) {
      failedAt = Math.min(failedAt, performance.now());
      if (signal?.aborted || performance.now() - failedAt > patienceMs || !mayRepeat(error)) throw error;
    }
    await delay(pauseMs, undefined, { signal });
  }
}
