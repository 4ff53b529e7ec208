import type { Reply } from "@ci/proto/common/v1/calls";
import { CallFailure } from "./client-fault.js";
import { readsOnly } from "./retry.js";

/** What ends a call before its reply. */
export interface Limits {
  /** In milliseconds since 1970. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
}

interface Waiting {
  readonly path: string;
  done(): void;
  resolve(response: Buffer): void;
  reject(error: unknown): void;
}

/** Calls `giveUp` with the reason of the signal, or at the deadline without one. Returns a function that ends this. */
function limit({ deadline, signal }: Limits, giveUp: (reason?: unknown) => void): () => void {
  const onAbort = () => giveUp(signal!.reason);
  const timer = setTimeout(giveUp, deadline - Date.now());
  signal?.addEventListener("abort", onAbort, { once: true });
  return () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  };
}

/** The calls of a stream that wait for their replies. */
export function waitingCalls() {
  const calls = new Map<number, Waiting>();

  function remove(id: number): Waiting | undefined {
    const call = calls.get(id);
    calls.delete(id);
    call?.done();
    return call;
  }
  const reject = (id: number, reason: unknown): void => remove(id)?.reject(reason);

  return {
    count: () => calls.size,
    /** Waits for the response. Calls `giveUp` at a limit, which has to reject the call. */
    wait: (id: number, path: string, limits: Limits, giveUp: (reason?: unknown) => void) =>
      new Promise<Buffer>((resolve, reject) => calls.set(id, { path, resolve, reject, done: limit(limits, giveUp) })),
    forReads(work: (id: number) => void): void {
      for (const [id, { path }] of calls) if (readsOnly(path)) work(id);
    },
    settle({ id, response, failure }: Reply): void {
      if (failure) reject(id, new CallFailure(failure.code, failure.details, failure.fault));
      else remove(id)?.resolve(response);
    },
    reject,
    rejectAll(failure: CallFailure): void {
      for (const id of calls.keys()) reject(id, failure);
    },
  };
}
