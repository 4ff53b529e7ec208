import type { Log } from "@ci/kit/process/log";
import type { AssignedJob, Assignment } from "@ci/proto/builds/v1/queue";
import type { Environment } from "../driver.js";
import { jobOutput, type Piece } from "../output/output.js";
import type { Secrets } from "../output/secrets.js";
import { withTimeout } from "../work/ended.js";

interface Sending {
  readonly build: Pick<Assignment, "jobs" | "outputLimitBytes">;
  /** The job that ends the build. */
  readonly job: AssignedJob;
  readonly environment: Pick<Environment, "serviceOutput">;
  readonly secrets: Secrets;
  readonly senderOf: (job: AssignedJob) => (piece: Piece) => Promise<void>;
  readonly lost: AbortSignal;
  readonly log: Log;
}

/** The end of a build does not wait longer for the output of one service. */
const timeoutMs = 10_000;

/**
 * Sends the rest of the last job's output, then the output of each service. Returns the empty rest that follows. A build
 * does not fail because the output of a service cannot be read.
 */
export async function sendServiceOutput(rest: Piece, sending: Sending): Promise<Piece> {
  const { build, job, environment, secrets, senderOf, lost, log } = sending;
  if (rest.text !== "") await senderOf(job)(rest);
  let offset = rest.offset + Buffer.byteLength(rest.text);
  for (const one of build.jobs) {
    if (one.service === undefined) continue;
    const send = senderOf(one);
    const output = jobOutput({ offset, limitBytes: build.outputLimitBytes, secrets, send });
    using time = withTimeout(timeoutMs, lost);
    try {
      for await (const bytes of environment.serviceOutput?.(one.service, time.signal) ?? []) await output.write(bytes);
    } catch (error) {
      lost.throwIfAborted();
      log.warn({ err: error, service: one.service }, "output of a service not read");
    }
    const last = await output.finish();
    if (last.text !== "") await send(last);
    offset = last.offset + Buffer.byteLength(last.text);
  }
  return { offset, text: "" };
}
