import {
  AckPolicy,
  type ConsumerConfig,
  DiscardPolicy,
  type JetStreamManager,
  NatsError,
  nanos,
  RetentionPolicy,
  type StreamConfig,
} from "nats";

/** What JetStream says of a stream or a consumer that is there with other settings (its error codes). */
const existsOtherwise = [10058, 10148, 10013];

function otherwise(error: unknown): void {
  if (!(error instanceof NatsError && existsOtherwise.includes(error.api_error?.err_code ?? 0))) throw error;
}

/** Makes a stream, or gives the one of this name these settings: another version may have made it. */
async function ensureStream(manager: JetStreamManager, settings: Partial<StreamConfig> & { name: string }) {
  await manager.streams.add(settings).catch((error) => {
    otherwise(error);
    return manager.streams.update(settings.name, settings);
  });
}

/** The same for a durable consumer; its place in the stream stays. */
async function ensureConsumer(
  manager: JetStreamManager,
  stream: string,
  settings: Partial<ConsumerConfig> & { durable_name: string },
) {
  await manager.consumers.add(stream, settings).catch((error) => {
    otherwise(error);
    return manager.consumers.update(stream, settings.durable_name, settings);
  });
}

/** The name of the stream of an installation. */
export const streamName = (prefix: string): string => `${prefix.toUpperCase().replace(/[^A-Z0-9]/g, "_")}_EVENTS`;

/**
 * Makes sure of the stream of events. It drops nothing to make room or by age: while it is full it refuses new events,
 * which wait in their outboxes. `trimStream` removes what has been read.
 */
export const ensureEventStream = (manager: JetStreamManager, prefix: string): Promise<void> =>
  ensureStream(manager, {
    name: streamName(prefix),
    subjects: [`${prefix}.events.>`],
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.New,
    max_age: 0,
    max_bytes: 2 * 1024 ** 3,
    duplicate_window: nanos(120_000),
  });

/** Marks the readers of the services, which the stream keeps events for; others keep up or miss some. */
const ours = "ci.reader";

export const isOurs = ({ metadata }: ConsumerConfig): boolean => metadata?.[ours] !== undefined;

/** Makes sure of a reader of the stream. */
export const ensureReader = (
  manager: JetStreamManager,
  prefix: string,
  reader: {
    readonly name: string;
    readonly kinds: readonly string[];
    readonly inHand: number;
    readonly ackWaitMs: number;
  },
): Promise<void> =>
  ensureConsumer(manager, streamName(prefix), {
    durable_name: reader.name,
    filter_subjects: reader.kinds.map((kind) => `${prefix}.events.${kind}`),
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(reader.ackWaitMs),
    max_ack_pending: reader.inHand,
    metadata: { [ours]: "1" },
  });
