import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Log } from "@ci/kit/process/log";
import type { AssignedJob, Assignment } from "@ci/proto/builds/v1/queue";
import type { Environment } from "../driver.js";
import { maxTimerMs, withTimeout } from "../endings/ended.js";
import { jobOutput, type Piece } from "../output/output.js";
import type { Secrets } from "../output/secrets.js";

interface Sending {
  readonly build: Pick<Assignment, "jobs" | "outputLimitBytes">;
  /** The size of each job's own output, by the job's id. */
  readonly outputBytes: ReadonlyMap<number, number>;
  readonly environment: Pick<Environment, "serviceOutput">;
  readonly secrets: Secrets;
  readonly senderOf: (job: AssignedJob) => (piece: Piece) => Promise<void>;
  readonly lost: AbortSignal;
  readonly isKilled: boolean;
  readonly log: Log;
}

/** The end of a build does not wait longer for the output of one service. */
const timeoutMs = 10_000;
const maxKilledMs = fixedLimit({
  max: 1_000,
  unit: "ms",
  about: "how long the end of a killed build waits for the output of its services",
  effect: "the rest of their output is left out",
});

/** Sends the output of each service. A build does not fail because the output of a service cannot be read. */
export async function sendServiceOutput(sending: Sending): Promise<void> {
  const { build, environment, secrets, senderOf, outputBytes, lost, isKilled, log } = sending;
  using all = withTimeout(isKilled ? maxKilledMs : maxTimerMs, lost);
  for (const job of build.jobs) {
    if (job.service === undefined || all.signal.aborted) continue;
    const send = senderOf(job);
    const offset = outputBytes.get(job.id) ?? 0;
    const output = jobOutput({ offset, limitBytes: build.outputLimitBytes, secrets, send });
    using time = withTimeout(timeoutMs, all.signal);
    try {
      for await (const bytes of environment.serviceOutput?.(job.service, time.signal) ?? []) await output.write(bytes);
    } catch (error) {
      lost.throwIfAborted();
      log.warn({ err: error, service: job.service }, "output of a service not read");
    }
    const last = await output.finish();
    if (last.text !== "") await send(last);
  }
}
