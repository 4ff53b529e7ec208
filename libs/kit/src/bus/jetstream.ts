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

/** JetStream's error codes for a stream or consumer that exists with other settings. */
const differentSettings = [10058, 10148, 10013];

function ignoreDifferentSettings(error: unknown): void {
  if (!(error instanceof NatsError && differentSettings.includes(error.api_error?.err_code ?? 0))) throw error;
}

/** Creates a stream, or updates one that another version of us has created. */
async function ensureStream(manager: JetStreamManager, settings: Partial<StreamConfig> & { name: string }) {
  await manager.streams.add(settings).catch((error) => {
    ignoreDifferentSettings(error);
    return manager.streams.update(settings.name, settings);
  });
}

async function ensureConsumer(
  manager: JetStreamManager,
  stream: string,
  settings: Partial<ConsumerConfig> & { durable_name: string },
) {
  await manager.consumers.add(stream, settings).catch((error) => {
    ignoreDifferentSettings(error);
    return manager.consumers.update(stream, settings.durable_name, settings);
  });
}

export const streamName = (prefix: string): string => `${prefix.toUpperCase().replace(/[^A-Z0-9]/g, "_")}_EVENTS`;

/** Ensures that the stream exists. A full stream drops nothing: new events are refused and wait in their outboxes. */
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

/** Marks the readers of our services. The stream keeps events only for these. */
const readerMark = "ci.reader";

export const isOurs = ({ metadata }: ConsumerConfig): boolean => metadata?.[readerMark] !== undefined;

export const ensureReader = (
  manager: JetStreamManager,
  prefix: string,
  reader: {
    readonly name: string;
    readonly kinds: readonly string[];
    readonly maxUnconfirmed: number;
    readonly ackWaitMs: number;
  },
): Promise<void> =>
  ensureConsumer(manager, streamName(prefix), {
    durable_name: reader.name,
    filter_subjects: reader.kinds.map((kind) => `${prefix}.events.${kind}`),
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(reader.ackWaitMs),
    max_ack_pending: reader.maxUnconfirmed,
    metadata: { [readerMark]: "1" },
  });
