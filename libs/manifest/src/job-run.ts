import { durationText } from "@ci/kit/process/setting-types";
import type { Complaints } from "./complaints.js";
import type { Retry } from "./retry.js";
import type { MaybePlaced } from "./spec.js";

/** How a job's script is run. */
export interface JobRun {
  /** The script and its repetitions end after this time. */
  readonly timeoutMs?: number;
  readonly retry?: Retry;
}

interface Given {
  readonly timeout: MaybePlaced<number | undefined> | undefined;
  readonly retry: Retry | undefined;
}

/** Checks the time of a job. Without `maxTimeoutMs`, any is accepted. */
export function runOf(
  { timeout, retry }: Given,
  { maxTimeoutMs = Number.POSITIVE_INFINITY }: { readonly maxTimeoutMs?: number },
  complain: Complaints,
): JobRun {
  const timeoutMs = timeout?.value;
  if (timeoutMs !== undefined && timeoutMs > maxTimeoutMs)
    complain.addAt(
      timeout?.at ?? 0,
      `timeout must be a time of ${durationText(maxTimeoutMs)} or less, not "${durationText(timeoutMs)}"`,
    );
  return { timeoutMs, retry: retry && retry.times > 0 ? retry : undefined };
}
