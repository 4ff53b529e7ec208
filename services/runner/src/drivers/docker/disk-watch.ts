import { Fault } from "@ci/kit/rpc/fault";
import { diskLine, filesLine } from "../../work/last-line.js";
import { sizeText } from "../../work/size-text.js";

import type { DiskUse } from "./disk-use.js";

export interface DiskWatch extends Disposable {
  /** Aborts with a Fault once more is used than a limit. */
  readonly signal: AbortSignal;
}

export interface DiskWatchOptions {
  readonly limitBytes: number;
  readonly maxFiles: number;
  readonly measure: () => Promise<DiskUse>;
  readonly onError: (error: unknown) => void;
}

const shortestPauseMs = 2_000;
/** Measuring takes at most a tenth of the time, however many files there are. */
const pauseShare = 10;

/** Measures again and again until disposed. */
export function watchDisk({ limitBytes, maxFiles, measure, onError }: DiskWatchOptions): DiskWatch {
  const over = new AbortController();
  let disposed = false;
  let timer: NodeJS.Timeout | undefined;

  function complaintAbout({ bytes, files = 0 }: DiskUse): string | undefined {
    if (bytes > limitBytes) return diskLine(sizeText(limitBytes), "DOCKER_DISK");
    return files > maxFiles ? filesLine(maxFiles, "DOCKER_FILES") : undefined;
  }

  async function look(): Promise<void> {
    const startedAt = performance.now();
    const used = await measure().catch(onError);
    if (disposed) return;
    const complaint = used && complaintAbout(used);
    if (complaint !== undefined) return over.abort(new Fault("precondition", complaint));
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
