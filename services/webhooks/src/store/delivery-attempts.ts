import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { AnyBulkWriteOperation, Collection } from "mongodb";
import type { AttemptRecord, DeliveryDoc, RecordedAttempt } from "./delivery-doc.js";
import { quick } from "./write-concern.js";

const maxAttempts = fixedLimit({
  max: 100,
  about: "attempts in the record of a delivery",
  effect: "the oldest are dropped",
});

type Write = AnyBulkWriteOperation<DeliveryDoc>;

const unset = (...names: (string | false)[]): Record<string, ""> =>
  Object.fromEntries(names.filter((name) => name !== false).map((name) => [name, ""]));

function attemptUpdate({ sharedRequest }: RecordedAttempt["delivery"], { attempt, headers, response }: AttemptRecord) {
  const gone = unset(response === undefined && "response");
  const push = { attempts: { $each: [attempt], $slice: -maxAttempts } };
  const sent = sharedRequest ? { "sharedRequest.headers": headers } : { "request.headers": headers };
  return { set: { attemptCount: attempt.number, response, ...sent }, gone, push };
}

/** Records the attempt that was due, and decides what is due next. */
function dueAttempt({ delivery, record }: RecordedAttempt): Write {
  const { _id, attemptCount, asked } = delivery;
  const { status, retryAt } = record;
  const { set, gone, push } = attemptUpdate(delivery, record);
  const next = { dueAt: retryAt, nextAttemptAt: retryAt };
  const ended = unset(!retryAt && "dueAt", !retryAt && "nextAttemptAt", !retryAt && "secrets");
  return {
    updateOne: {
      filter: { _id, attemptCount, asked },
      update: { $set: { ...set, ...next, status, redelivery: false }, $unset: { ...gone, ...ended }, $push: push },
    },
  };
}

/** Records only the attempt, because a redelivery was requested meanwhile. */
function attemptOnly({ delivery, record }: RecordedAttempt): Write {
  const { _id, attemptCount } = delivery;
  const { set, gone, push } = attemptUpdate(delivery, record);
  return { updateOne: { filter: { _id, attemptCount }, update: { $set: set, $unset: gone, $push: push } } };
}

export const attemptWrites = (deliveries: Collection<DeliveryDoc>) => ({
  /** Records each attempt once. A redelivery requested meanwhile stays due. */
  async recordAttempts(attempts: readonly RecordedAttempt[]): Promise<void> {
    const { matchedCount } = await deliveries.bulkWrite(attempts.map(dueAttempt), quick);
    // Attempts that are already recorded do not match again.
    if (matchedCount < attempts.length) await deliveries.bulkWrite(attempts.map(attemptOnly), quick);
  },
});
