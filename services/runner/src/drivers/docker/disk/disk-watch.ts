import { sizeText } from "@ci/kit/bytes/size-text";
import { Fault } from "@ci/kit/rpc/fault";
import { diskLine, filesLine, unmeasuredLine } from "../../../endings/last-line.js";
import type { DiskUse } from "./disk-use.js";
import { Unmeasurable } from "./du.js";

export interface DiskWatch extends Disposable {
  /** Aborts with a Fault once more is used than a limit, or if that cannot be measured again and again. */
  readonly signal: AbortSignal;
}

interface DiskWatchOptions {
  readonly limitBytes: number;
  readonly maxFiles: number;
  readonly measure: () => Promise<DiskUse>;
  readonly onError: (error: unknown) => void;
  readonly shortestPauseMs?: number;
}

/** Measuring takes at most a tenth of the time, however many files there are. */
const pauseShare = 10;
const maxUnmeasuredInARow = 3;

/** Measures again and again until disposed. */
export function watchDisk(options: DiskWatchOptions): DiskWatch {
  const { limitBytes, maxFiles, measure, onError, shortestPauseMs = 2_000 } = options;
  const over = new AbortController();
  let disposed = false;
  let unmeasured = 0;
  let timer: NodeJS.Timeout | undefined;

  function complaintAbout({ bytes, files = 0 }: DiskUse): string | undefined {
    if (bytes > limitBytes) return diskLine(sizeText(limitBytes), "DOCKER_DISK");
    return files > maxFiles ? filesLine(maxFiles, "DOCKER_FILES") : undefined;
  }

  async function complaint(): Promise<string | undefined> {
    try {
      const used = await measure();
      unmeasured = 0;
      return complaintAbout(used);
    } catch (error) {
      onError(error);
      if (error instanceof Unmeasurable) unmeasured++;
      return unmeasured < maxUnmeasuredInARow ? undefined : unmeasuredLine(sizeText(limitBytes), "DOCKER_DISK");
    }
  }

  async function look(): Promise<void> {
    const startedAt = performance.now();
    const found = await complaint();
    if (disposed) return;
    if (found !== undefined) return over.abort(new Fault("precondition", found));
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
