import { randomUUID } from "node:crypto";
import { ErrorCode, NatsError } from "nats";
import type { OutboxEvent } from "../mongo/document.js";
import { batched } from "../process/batch.js";
import { headersOf } from "./event-headers.js";
import type { EventStream } from "./event-stream.js";

type Opened = Awaited<ReturnType<EventStream["open"]>>;
type Result = PromiseSettledResult<unknown>;

/** The server syncs a batch to the disk four times, however many events it has; a single event once. */
const minTogether = 8;
const limits = { maxItems: 200, waitMs: 0, maxBytes: 1024 ** 2, bytesOf: ({ json }: OutboxEvent) => json.length };

/** Reports whether nothing of a batch is stored, for instance because it repeats an event or there is no room for all. */
const isRefused = (error: unknown): boolean =>
  error instanceof NatsError && (error.api_error !== undefined || error.code === ErrorCode.MaxPayloadExceeded);

/** Returns the bus's `publish`. Events that come while others are on their way share a batch, and one wait for the disk. */
export function publisher(stream: EventStream, prefix: string, service: string): (event: OutboxEvent) => Promise<void> {
  const subjectOf = ({ kind }: OutboxEvent) => `${prefix}.events.${kind}`;

  const publishAlone = async ({ jetstream }: Opened, event: OutboxEvent, headers = headersOf(event, service)) =>
    jetstream.publish(subjectOf(event), event.json, { msgID: event.id, headers });

  /** Stores all events in order, or none. The server confirms only the last one (ADR-50 of NATS). */
  async function publishTogether(opened: Opened, events: readonly OutboxEvent[]): Promise<unknown> {
    const batchId = randomUUID();
    const headers = events.map((event, nth) => {
      const all = headersOf(event, service);
      all.set("Nats-Msg-Id", event.id);
      all.set("Nats-Batch-Id", batchId);
      all.set("Nats-Batch-Sequence", `${nth + 1}`);
      return all;
    });
    const lastHeaders = headers.at(-1)!;
    lastHeaders.set("Nats-Batch-Commit", "1");
    for (const [nth, event] of events.slice(0, -1).entries())
      opened.nats.publish(subjectOf(event), event.json, { headers: headers[nth] });
    return publishAlone(opened, events.at(-1)!, lastHeaders);
  }

  async function publishAll(events: readonly OutboxEvent[]): Promise<readonly Result[]> {
    const opened = await stream.open();
    const eachAlone = () => Promise.allSettled(events.map((one) => publishAlone(opened, one).catch(stream.failed)));
    if (!opened.batches || events.length < minTogether) return eachAlone();
    try {
      const value = await publishTogether(opened, events);
      return events.map(() => ({ status: "fulfilled", value }));
    } catch (error) {
      return isRefused(error) ? eachAlone() : stream.failed(error);
    }
  }

  const publish = batched(limits, (events: readonly OutboxEvent[]) =>
    publishAll(events).catch((reason): Result[] => events.map(() => ({ status: "rejected", reason }))),
  );
  return async (event) => {
    // Fails at once while NATS is away.
    await stream.open();
    const result = await publish(event);
    if (result.status === "rejected") throw result.reason;
  };
}
