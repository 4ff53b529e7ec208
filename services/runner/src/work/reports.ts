import { untraced } from "@ci/kit/process/trace";
import { isUnimplemented } from "@ci/kit/rpc/fault";
import type {
  FinishJobRequest_Outcome as Outcome,
  PreparedJob,
  QueueServiceClient,
  TestCounts,
} from "@ci/proto/builds/v1/queue";
import type { Mark } from "../driver.js";
import { reasonIn } from "../endings/last-line.js";
import { retry } from "../endings/retry.js";
import type { Piece } from "../output/output.js";
import type { Secrets } from "../output/secrets.js";
import { masked } from "../output/texts.js";
import type { HeldReport } from "./held-report.js";
import type { Lease } from "./lease.js";

/** How a job ended. */
export interface Result {
  readonly outcome: Outcome;
  /** The last line of the output. */
  readonly why?: string;
  readonly exitCode?: number;
  readonly placedObjectIds?: readonly number[];
  readonly tests?: TestCounts | undefined;
}

interface Reporting {
  readonly queue: Pick<QueueServiceClient, "appendOutput" | "finishJob" | "recordVerdict">;
  readonly mark: Mark;
  readonly lease: Pick<Lease, "lost" | "lose">;
  readonly secrets: Secrets;
  readonly jobId: number;
  /** Resolves when the queue knows that the job is running. */
  readonly started: () => Promise<unknown>;
  /** The end of the previous job, if it waits to travel with that of this one. */
  readonly held?: HeldReport | undefined;
  /** Other jobs run at the same time: the job's output counts by itself. */
  readonly beside: boolean;
}

/** Returns the calls that report a job. They wait until the queue knows that the job is running. */
export function reportsOf({ queue, mark, lease, secrets, jobId, started, held, beside }: Reporting) {
  const { lost, lose } = lease;
  const placed = <T extends Piece>(piece: T) => (beside ? { ...piece, offset: 0, jobOffset: piece.offset } : piece);

  return {
    async send(piece: Piece): Promise<void> {
      const ask = { ...mark, jobId, ...placed(piece) };
      try {
        await started();
        // A job may print ten times a second for hours: no spans for that.
        await untraced(() => retry(lost, () => queue.appendOutput(ask, { signal: lost })));
      } catch (error) {
        // A job that prints nothing more would not notice the loss.
        lose();
        throw error;
      }
    },
    /** Says how the build ends if this runner cannot finish the job. A queue of an older version does not take it. */
    async recordVerdict({ why, outcome, exitCode, tests }: Result): Promise<void> {
      const reason = why && (await masked(secrets, reasonIn(why)));
      const ask = { ...mark, jobId, outcome, exitCode, tests, reason };
      const passOld = (error: unknown) => {
        if (!isUnimplemented(error)) throw error;
      };
      await started();
      await retry(lost, () => queue.recordVerdict(ask, { signal: lost }).then(() => undefined, passOld));
    },
    /** Finishes the job, which starts what comes next or ends the build. */
    async finish({ why, ...how }: Result & Piece) {
      const reason = why && (await masked(secrets, reasonIn(why)));
      const ask = { ...mark, jobId, placedObjectIds: [], ...placed(how), reason, followsOrder: true };
      const send = (prepared?: PreparedJob) =>
        retry(lost, () => queue.finishJob({ ...ask, prepared }, { signal: lost }));
      const together = held?.sendWith(send);
      if (together) return together;
      await started();
      return send();
    },
  };
}
