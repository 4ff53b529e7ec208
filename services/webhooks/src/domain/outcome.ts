import { Delivery_Status, Webhook_DisabledReason } from "@ci/proto/webhooks/v1/webhooks";
import { pauseMs, retryAfterMs } from "./backoff.js";

/** One attempt and what was known before it. */
export interface Tried {
  /** Absent without response. */
  readonly code?: number;
  readonly retryAfter?: string;
  /** When the attempt had ended. */
  readonly at: Date;
  /** Attempts of the delivery up to this one, without redeliveries. */
  readonly attempts: number;
  /** No retry follows: asked for by hand, or the last word of a namespace. */
  readonly once: boolean;
  /** First failure of the webhook after its last success or activation. */
  readonly failingSince?: Date;
}

export interface Rules {
  readonly pausesMs: readonly number[];
  readonly deactivateAfterMs: number;
}

/** What follows from an attempt, for its delivery and for its webhook. */
export interface Outcome {
  readonly status: Delivery_Status;
  /** Only with status `pending`. */
  readonly retryAt?: Date;
  readonly failingSince?: Date;
  readonly deactivate?: Webhook_DisabledReason;
}

/** Whether a status code means that the receiver has taken the event. */
export const accepted = (code: number | undefined): boolean => code !== undefined && code >= 200 && code < 300;

const retryAt = ({ at, attempts, once, retryAfter }: Tried, pausesMs: readonly number[], random: number) => {
  const waitMs = once ? undefined : pauseMs(pausesMs, attempts, random, retryAfterMs(retryAfter, at));
  return waitMs === undefined ? undefined : new Date(at.getTime() + waitMs);
};

/** Judges an attempt. `random` (0 to 1) spreads the retry. */
export function outcomeOf(tried: Tried, rules: Rules, random: number): Outcome {
  if (accepted(tried.code)) return { status: Delivery_Status.delivered };
  const failingSince = tried.failingSince ?? tried.at;
  if (tried.code === 410)
    return { status: Delivery_Status.failed, failingSince, deactivate: Webhook_DisabledReason.gone };
  const retry = retryAt(tried, rules.pausesMs, random);
  if (tried.at.getTime() - failingSince.getTime() >= rules.deactivateAfterMs) {
    const status = retry ? Delivery_Status.cancelled : Delivery_Status.failed;
    return { status, failingSince, deactivate: Webhook_DisabledReason.failing };
  }
  return retry
    ? { status: Delivery_Status.pending, retryAt: retry, failingSince }
    : { status: Delivery_Status.failed, failingSince };
}
