import { Delivery_Status, Webhook_DisabledReason } from "@ci/proto/webhooks/v1/webhooks";
import { retryAfterMs, retryPauseMs } from "./backoff.js";

export interface FinishedAttempt {
  readonly code?: number;
  readonly retryAfter?: string;
  readonly at: Date;
  /** Counts the attempts up to this one, except redeliveries. */
  readonly attempts: number;
  /** No retry follows a redelivery, nor the last delivery of a namespace. */
  readonly once: boolean;
  /** A test says nothing about the webhook's health. */
  readonly test: boolean;
  /** The webhook's first failure after its last success or activation. */
  readonly failingSince?: Date;
}

export interface OutcomeRules {
  readonly pausesMs: readonly number[];
  readonly deactivateAfterMs: number;
}

export interface Outcome {
  readonly status: Delivery_Status;
  readonly retryAt?: Date;
  readonly failingSince?: Date;
  /** Unless the webhook is changed meanwhile. Its deactivation cancels the retry. */
  readonly deactivate?: Webhook_DisabledReason;
}

export const isAccepted = (code: number | undefined): boolean => code !== undefined && code >= 200 && code < 300;

const retryAt = ({ at, attempts, once, retryAfter }: FinishedAttempt, pausesMs: readonly number[], random: number) => {
  const waitMs = once ? undefined : retryPauseMs(pausesMs, attempts, random, retryAfterMs(retryAfter, at));
  return waitMs === undefined ? undefined : new Date(at.getTime() + waitMs);
};

/** Decides what follows from an attempt. `random` (0 to 1) varies the pause before the retry. */
export function decideOutcome(attempt: FinishedAttempt, rules: OutcomeRules, random: number): Outcome {
  const { delivered, failed } = Delivery_Status;
  if (attempt.test)
    return { status: isAccepted(attempt.code) ? delivered : failed, failingSince: attempt.failingSince };
  if (isAccepted(attempt.code)) return { status: delivered };
  const failingSince = attempt.failingSince ?? attempt.at;
  if (attempt.code === 410) return { status: failed, failingSince, deactivate: Webhook_DisabledReason.gone };
  const retry = retryAt(attempt, rules.pausesMs, random);
  const next = retry
    ? { status: Delivery_Status.pending, retryAt: retry, failingSince }
    : { status: failed, failingSince };
  const endures = attempt.at.getTime() - failingSince.getTime() < rules.deactivateAfterMs;
  return endures ? next : { ...next, deactivate: Webhook_DisabledReason.failing };
}
