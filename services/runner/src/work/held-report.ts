import type { FinishJobResponse, PreparedJob } from "@ci/proto/builds/v1/queue";

/** How long the end of a job may wait for that of the next: as long as output waits before it is sent. */
const usualHoldMs = 50;

type Send = (prepared: PreparedJob) => Promise<FinishJobResponse>;

/** The report that an environment is ready. It waits for a moment, so that it can travel with the end of a short job. */
export interface HeldReport {
  /** Resolves when it has been sent, alone or with the end of the next job. */
  readonly sent: Promise<FinishJobResponse>;
  /** Sends it now, unless it is under way. */
  send(): Promise<FinishJobResponse>;
  /** Sends it with the end of the next job. Returns undefined if it is under way. */
  sendWith(send: Send): Promise<FinishJobResponse> | undefined;
}

/** Holds a report back. `sendAlone` sends it if its time is over first. */
export function holdReport(
  end: Omit<PreparedJob, "ageMs">,
  sendAlone: () => Promise<FinishJobResponse>,
  holdMs = usualHoldMs,
): HeldReport {
  const endedAt = performance.now();
  let settle: (response: Promise<FinishJobResponse>) => void = () => undefined;
  const sent = new Promise<FinishJobResponse>((resolve) => {
    settle = resolve;
  });
  let isUnderWay = false;

  function begin(): void {
    isUnderWay = true;
    clearTimeout(timer);
  }

  function send() {
    if (!isUnderWay) {
      begin();
      settle(sendAlone());
    }
    return sent;
  }
  const timer = setTimeout(() => void send().catch(() => undefined), holdMs);

  return {
    sent,
    send,
    sendWith(sendBoth) {
      if (isUnderWay) return undefined;
      begin();
      const response = sendBoth({ ...end, ageMs: Math.round(performance.now() - endedAt) });
      // What the response says of the build concerns the next job.
      settle(response.then(() => ({ final: false })));
      return response;
    },
  };
}
