import { randomUUID } from "node:crypto";
import { ErrorCode, NatsError, type PubAck } from "nats";
import type { OutboxEvent } from "../mongo/document.js";
import { batched } from "../turns/batch.js";
import { headersOf } from "./event-headers.js";
import type { EventStream } from "./event-stream.js";

type Opened = Awaited<ReturnType<EventStream["open"]>>;
type Result = PromiseSettledResult<unknown>;
/** What the client's type does not tell of a stored batch. */
type Confirmation = PubAck & { readonly batch?: string; readonly count?: number };

/** The server syncs a batch to the disk four times, however many events it has; a single event once. */
const minTogether = 8;
const limits = {
  maxItems: 200,
  maxBytes: 1024 ** 2,
  bytesOf: ({ json }: OutboxEvent) => json.length,
  waitMs: 0,
  // If one waits in vain for NATS, the others go on.
  atOnce: 8,
};

const isTimeout = (error: unknown): boolean => error instanceof NatsError && error.code === ErrorCode.Timeout;

const jetStreamCodes = { batchesNotAllowed: 10174, headerNotSupported: 10177 };
const isUnsupported = (error: unknown): boolean =>
  error instanceof NatsError && Object.values(jetStreamCodes).includes(error.api_error?.err_code ?? 0);

/** Returns the bus's `publish`. Events that come at the same moment share a batch, and one wait for the disk. */
export function publisher(stream: EventStream, prefix: string, service: string): (event: OutboxEvent) => Promise<void> {
  const subjectOf = ({ kind }: OutboxEvent) => `${prefix}.events.${kind}`;

  const publishAlone = async ({ jetstream }: Opened, event: OutboxEvent, headers = headersOf(event, service)) =>
    jetstream.publish(subjectOf(event), event.json, { msgID: event.id, headers });

  /** Stores all events in order, or throws. The server confirms only the last one (ADR-50 of NATS). */
  async function publishTogether(opened: Opened, events: readonly OutboxEvent[]): Promise<void> {
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
    const stored: Confirmation = await publishAlone(opened, events.at(-1)!, lastHeaders);
    if (stored.batch !== batchId || stored.count !== events.length)
      throw new Error("the batch is not stored as a whole");
  }

  async function publishAll(events: readonly OutboxEvent[]): Promise<readonly Result[]> {
    const opened = await stream.open();
    const eachAlone = () => Promise.allSettled(events.map((one) => publishAlone(opened, one).catch(stream.failed)));
    if (events.length < minTogether || !opened.batches.now()) return eachAlone();
    try {
      await publishTogether(opened, events);
      return events.map(() => ({ status: "fulfilled", value: undefined }));
    } catch (error) {
      if (isTimeout(error)) throw error;
      if (isUnsupported(error)) opened.batches.refused();
      // For instance, one event is stored already or denied, or there is no room for all.
      return eachAlone();
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
