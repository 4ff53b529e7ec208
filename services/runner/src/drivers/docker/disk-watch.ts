import { Fault } from "@ci/kit/rpc/fault";
import { diskLine } from "../../work/last-line.js";
import { sizeText } from "../../work/size-text.js";

export interface DiskWatch extends Disposable {
  /** Aborts with a Fault once more is used than the limit. */
  readonly signal: AbortSignal;
}

export interface DiskWatchOptions {
  readonly limitBytes: number;
  /** Returns the bytes in use. */
  readonly measure: () => Promise<number>;
  readonly onError: (error: unknown) => void;
}

const shortestPauseMs = 2_000;
/** Measuring takes at most a tenth of the time, however many files there are. */
const pauseShare = 10;

/** Measures again and again until disposed. */
export function watchDisk({ limitBytes, measure, onError }: DiskWatchOptions): DiskWatch {
  const over = new AbortController();
  let disposed = false;
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    const startedAt = performance.now();
    const usedBytes = await measure().catch(onError);
    if (disposed) return;
    if (usedBytes !== undefined && usedBytes > limitBytes)
      return over.abort(new Fault("precondition", diskLine(sizeText(limitBytes), "DOCKER_DISK")));
    wait(Math.max(shortestPauseMs, pauseShare * (performance.now() - startedAt)));
  }

  function wait(ms: number): void {
    timer = setTimeout(() => void look(), ms).unref();
  }

  wait(shortestPauseMs);
  return {
    signal: over.signal,
    [Symbol.dispose]() {
      disposed = true;
      clearTimeout(timer);
    },
  };
}
