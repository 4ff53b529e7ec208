import { isMongoAway } from "@ci/kit/mongo/mongo-away";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { type Batched, batched } from "@ci/kit/turns/batch";
import type { Context } from "../context.js";
import type { RecordedAttempt } from "../store/delivery-doc.js";
import type { WebhookDoc, WebhookHealth } from "../store/webhook-doc.js";
import { type LaneUpdates, laneUpdates } from "./lane-updates.js";
import { unwrittenBytes } from "./unwritten-bytes.js";

export interface AttemptWrite extends RecordedAttempt {
  readonly webhookId: number;
  readonly health: WebhookHealth;
  /** Writes the health before the attempt, so that a crash in between repeats the attempt and loses no health. */
  readonly urgent: boolean;
}

/** Reads and writes of all lanes, joined into few database commands. */
export interface BatchedWrites {
  readWebhook(webhookId: number): Promise<WebhookDoc | undefined>;
  claimLane(webhookId: number, dead?: string): Promise<WebhookDoc | null>;
  /** Records an attempt. Attempts of one webhook are written in the order given. */
  readonly recordAttempt: Batched<AttemptWrite, void>;
  /** Waits while the responses of unwritten attempts, of all lanes together, are too large for further ones. */
  room(): Promise<void>;
  readonly healthInMs: LaneUpdates["healthInMs"];
  /** Writes the health of webhooks that is still unwritten, and releases these lanes after their attempts are written. */
  releaseLanes(webhookIds: readonly number[]): Promise<void>;
}

const maxBatch = 200;
const maxBatchBytes = fixedLimit({
  max: 1024 ** 2,
  unit: "bytes",
  about: "responses of receivers that one command stores",
  effect: "further ones follow in further commands",
});
export const maxUnwrittenBytes = fixedLimit({
  max: 16 * 1024 ** 2,
  unit: "bytes",
  about: "responses of receivers that a process has not stored yet",
  effect: "further attempts wait",
});
/** How long an attempt waits for others before it is written, unless a lane waits for it. */
const gatherMs = 15;

function bytesOf({ record: { response } }: AttemptWrite): number {
  if (!response) return 0;
  const { body, headers } = response;
  return Object.entries(headers).reduce(
    (sum, [name, value]) => sum + name.length + value.length,
    Buffer.byteLength(body),
  );
}

const withoutResponse = (attempt: AttemptWrite): AttemptWrite => ({
  ...attempt,
  record: { ...attempt.record, response: undefined },
});

/** A response that cannot be stored must not make its delivery due for ever. */
async function store({ deliveries, log }: Pick<Context, "deliveries" | "log">, attempts: readonly AttemptWrite[]) {
  try {
    await deliveries.recordAttempts(attempts);
  } catch (error) {
    if (attempts.length > 1 || isMongoAway(error)) throw error;
    const [{ webhookId, delivery }] = attempts as [AttemptWrite];
    log.error({ err: error, webhook: webhookId, delivery: delivery._id }, "response of a receiver cannot be stored");
    await deliveries.recordAttempts(attempts.map(withoutResponse));
  }
}

type Parts = Pick<Context, "webhooks" | "deliveries" | "heartbeat" | "log">;

export function batchedWrites({ webhooks, deliveries, heartbeat, log }: Parts): BatchedWrites {
  const updates = laneUpdates({ webhooks, heartbeat });
  let lastRelease: Promise<unknown> = Promise.resolve();
  /** The last attempt of each webhook that is not written yet. */
  const unwritten = new Map<number, Promise<void>>();
  const responses = unwrittenBytes(maxUnwrittenBytes);

  const recordAttempts = batched(
    { maxItems: maxBatch, maxBytes: maxBatchBytes, bytesOf, waitMs: gatherMs },
    async (attempts: readonly AttemptWrite[]) => {
      const isUrgent = attempts.some(({ urgent }) => urgent);
      if (isUrgent) {
        updates.keep(attempts);
        await updates.flush([]);
      }
      await store({ deliveries, log }, attempts);
      if (!isUrgent) updates.keep(attempts);
      return attempts.map(() => undefined);
    },
  );

  async function recordAttempt(attempt: AttemptWrite): Promise<void> {
    const { webhookId } = attempt;
    const bytes = bytesOf(attempt);
    responses.add(bytes);
    const recorded = recordAttempts(attempt);
    unwritten.set(webhookId, recorded);
    try {
      await recorded;
    } finally {
      responses.remove(bytes);
      if (unwritten.get(webhookId) === recorded) unwritten.delete(webhookId);
    }
  }

  /** Otherwise the next holder of a lane would find sent deliveries due. */
  async function written(webhookIds: readonly number[]): Promise<void> {
    const waiting = webhookIds.flatMap((webhookId) => unwritten.get(webhookId) ?? []);
    if (waiting.length === 0) return;
    recordAttempts.hurry();
    await Promise.allSettled(waiting);
  }

  return {
    readWebhook: batched({ maxItems: maxBatch, waitMs: 0 }, async (ids: readonly number[]) => {
      const byId = new Map((await webhooks.findByIds(ids)).map((doc) => [doc._id, doc]));
      return ids.map((id) => byId.get(id));
    }),
    async claimLane(webhookId, dead) {
      await written([webhookId]);
      await lastRelease;
      await Promise.all([updates.settled(), heartbeat.refresh()]);
      return webhooks.claimLane(webhookId, heartbeat.holder, dead);
    },
    recordAttempt: Object.assign(recordAttempt, { hurry: recordAttempts.hurry }),
    room: () => responses.room(recordAttempts.hurry),
    healthInMs: updates.healthInMs,
    releaseLanes(webhookIds) {
      const released = written(webhookIds).then(() => updates.flush(webhookIds));
      lastRelease = Promise.allSettled([lastRelease, released]);
      return released;
    },
  };
}
