import { decideOutcome, type FinishedAttempt, type Outcome } from "./outcome.js";

const at = new Date("2026-01-10T00:00:00.000Z");
const hoursAgo = (hours: number) => new Date(at.getTime() - hours * 3_600_000);
const rules = { pausesMs: [1_000, 60_000], deactivateAfterMs: 5 * 24 * 3_600_000 };
const first: FinishedAttempt = { at, attempts: 1, once: false, test: false };

test.each<[string, Partial<FinishedAttempt>, Outcome]>([
  ["an accepted attempt", { code: 200 }, { status: "delivered" }],
  ["an accepted attempt after days of failures", { code: 299, failingSince: hoursAgo(200) }, { status: "delivered" }],
  [
    "an attempt without a response",
    {},
    { status: "pending", retryAt: new Date(at.getTime() + 1_000), failingSince: at },
  ],
  ["a redirect", { code: 300 }, { status: "pending", retryAt: new Date(at.getTime() + 1_000), failingSince: at }],
  [
    "the second failure",
    { code: 500, attempts: 2, failingSince: hoursAgo(1) },
    { status: "pending", retryAt: new Date(at.getTime() + 60_000), failingSince: hoursAgo(1) },
  ],
  [
    "the last failure",
    { code: 500, attempts: 3, failingSince: hoursAgo(1) },
    { status: "failed", failingSince: hoursAgo(1) },
  ],
  [
    "a failure with Retry-After",
    { code: 503, retryAfter: "90" },
    { status: "pending", retryAt: new Date(at.getTime() + 90_000), failingSince: at },
  ],
  ["a failed redelivery", { code: 503, once: true }, { status: "failed", failingSince: at }],
  [
    "an accepted test of a failing webhook",
    { code: 200, test: true, failingSince: hoursAgo(200) },
    { status: "delivered", failingSince: hoursAgo(200) },
  ],
  ["a failed test", { code: 503, test: true, once: true }, { status: "failed" }],
  [
    "a failed test of a webhook that fails for days",
    { test: true, failingSince: hoursAgo(200) },
    { status: "failed", failingSince: hoursAgo(200) },
  ],
  ["a test with status 410", { code: 410, test: true }, { status: "failed" }],
  ["status 410", { code: 410 }, { status: "failed", failingSince: at, deactivate: "gone" }],
  [
    "a failure one hour before the deactivation limit",
    { code: 500, failingSince: hoursAgo(119) },
    { status: "pending", retryAt: new Date(at.getTime() + 1_000), failingSince: hoursAgo(119) },
  ],
  [
    "a failure at the deactivation limit",
    { code: 500, failingSince: hoursAgo(120) },
    {
      status: "pending",
      retryAt: new Date(at.getTime() + 1_000),
      failingSince: hoursAgo(120),
      deactivate: "failing",
    },
  ],
  [
    "the last failure beyond the deactivation limit",
    { code: 500, attempts: 3, failingSince: hoursAgo(121) },
    { status: "failed", failingSince: hoursAgo(121), deactivate: "failing" },
  ],
])("decides the outcome of %s", (_, attempt, expected) => {
  expect(decideOutcome({ ...first, ...attempt }, rules, 0.5)).toEqual(expected);
});
