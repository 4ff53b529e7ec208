import { durationText } from "@ci/kit/process/setting-types";
import type { Assignment } from "@ci/proto/builds/v1/queue";
import { withTimeout } from "./ended.js";

/** Jobs that run after a failure have so much more time than the build. */
const afterFailureMs = 5 * 60_000;

const timeoutLine = ({ buildTimeoutMs }: Assignment) =>
  `Build timed out after ${durationText(buildTimeoutMs)}; make it shorter or raise BUILD_TIMEOUT`;

/** A signal that never aborts. */
export const never: AbortSignal = new AbortController().signal;

export interface BuildTime {
  /** Aborts when the run is killed, timed out or lost. */
  readonly signal: AbortSignal;
  /** Ends scripts when the build's time is over, if jobs may run after that. */
  readonly stop: AbortSignal;
}

/** Starts the time of a build. */
export function buildTime(build: Assignment, ended: AbortSignal): Disposable & BuildTime {
  const time = withTimeout(build.buildTimeoutMs, ended, timeoutLine(build));
  if (!build.jobs.some(({ runAfterFailure }) => runAfterFailure)) return { ...time, stop: never };
  const all = withTimeout(build.buildTimeoutMs + afterFailureMs, ended, timeoutLine(build));
  return {
    signal: all.signal,
    stop: time.signal,
    [Symbol.dispose]() {
      time[Symbol.dispose]();
      all[Symbol.dispose]();
    },
  };
}

/** Starts the time for preparing the environment, which ends with that of the build. */
export const prepareTime = ({ prepareTimeoutMs }: Assignment, { signal, stop }: BuildTime) =>
  withTimeout(
    prepareTimeoutMs,
    AbortSignal.any([signal, stop]),
    `Preparing the environment timed out after ${durationText(prepareTimeoutMs)}; raise PREPARE_TIMEOUT if it needs longer`,
  );
