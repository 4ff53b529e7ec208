import type { AssignedJob } from "@ci/proto/builds/v1/queue";
import { type Ended, withTimeout } from "../endings/ended.js";

interface AttemptsOptions {
  /** Runs the script once and returns its exit code. The script ends when `stop` aborts. */
  readonly run: (attempt: number, stop: AbortSignal) => Promise<number>;
  readonly say: (line: string) => void;
  /** Ends the script as the job's own timeout does. */
  readonly stop: AbortSignal;
}

/** How the last attempt ended. `stopped` is the reason of the signal that ended it early. */
interface LastAttempt {
  readonly exitCode: number;
  readonly stopped?: Ended;
}

function attemptLine(attempt: number, times: number, lastCode: number | undefined): string {
  const line = `-- attempt ${attempt} of ${times + 1}`;
  return lastCode === undefined ? `${line} --` : `${line}, the last one ended with exit code ${lastCode} --`;
}

/** Runs a job's script, again as its `retry` says, all within the job's own time. */
export async function runAttempts(
  { timeoutMs, retry: { times, codes } = { times: 0, codes: [] } }: Pick<AssignedJob, "timeoutMs" | "retry">,
  { run, say, stop: parent }: AttemptsOptions,
): Promise<LastAttempt> {
  using time = withTimeout(timeoutMs ?? Number.POSITIVE_INFINITY, parent);
  const { signal: stop } = time;
  let lastCode: number | undefined;
  for (let attempt = 1; ; attempt++) {
    if (times > 0) say(attemptLine(attempt, times, lastCode));
    const exitCode = await run(attempt, stop);
    if (stop.aborted) return { exitCode, stopped: stop.reason as Ended };
    const again = exitCode !== 0 && attempt <= times && (codes.length === 0 || codes.includes(exitCode));
    if (!again) return { exitCode };
    lastCode = exitCode;
  }
}
