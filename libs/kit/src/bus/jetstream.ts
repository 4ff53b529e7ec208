import {
  AckPolicy,
  type ConsumerConfig,
  DiscardPolicy,
  type JetStreamManager,
  NatsError,
  nanos,
  RetentionPolicy,
  type StreamConfig,
  type StreamInfo,
} from "nats";

/** JetStream's error codes for a stream or consumer that does not exist. */
const missing = [10059, 10014];

function undefinedIfMissing(error: unknown): undefined {
  if (!(error instanceof NatsError && missing.includes(error.api_error?.err_code ?? 0))) throw error;
}

/** Only the keeper of the stream may change it. Other services use it as it is. */
function ignoreDenied(error: unknown): void {
  if (!(error instanceof NatsError && error.isPermissionError())) throw error;
}

const asList = (value: unknown) => (Array.isArray(value) ? [...value].sort() : value);

/** Reports whether all these settings are in force. The server adds others. */
const isInForce = <T extends object>(wanted: T, config: object): boolean =>
  Object.entries(wanted).every(([name, value]) => {
    const current = (config as Record<string, unknown>)[name];
    return JSON.stringify(asList(current)) === JSON.stringify(asList(value));
  });

/** Creates a stream, or updates one that another version of us has created. */
async function ensureStream(manager: JetStreamManager, settings: Partial<StreamConfig> & { name: string }) {
  const { name } = settings;
  const found = await manager.streams.info(name).catch(undefinedIfMissing);
  if (!found) await manager.streams.add(settings);
  else if (!isInForce(settings, found.config)) await manager.streams.update(name, settings).catch(ignoreDenied);
}

/** Lets a stream take batches, each all or nothing, if this service may. Returns whether it does. Never throws. */
export async function allowBatches(manager: JetStreamManager, stream: string): Promise<boolean> {
  // The client's types lack this setting.
  const wanted: object = { allow_atomic: true };
  const isAllowed = (info: StreamInfo) => isInForce(wanted, info.config);
  const inForce = await manager.streams.info(stream).then(isAllowed, () => false);
  return inForce || manager.streams.update(stream, wanted).then(isAllowed, () => false);
}

async function ensureConsumer(
  manager: JetStreamManager,
  stream: string,
  { metadata, ...settings }: Partial<ConsumerConfig> & { durable_name: string },
) {
  const name = settings.durable_name;
  const found = await manager.consumers.info(stream, name).catch(undefinedIfMissing);
  if (!found) await manager.consumers.add(stream, { ...settings, metadata });
  else if (!isInForce(settings, found.config) || !isInForce(metadata ?? {}, found.config.metadata ?? {}))
    await manager.consumers.update(stream, name, { ...settings, metadata }).catch(ignoreDenied);
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

/** Without a sign of life for this long, the stream hands a message to another consumer. */
export const ackWaitMs = 3_000;

export const ensureReader = (
  manager: JetStreamManager,
  prefix: string,
  reader: { readonly name: string; readonly kinds: readonly string[]; readonly maxUnconfirmed: number },
): Promise<void> =>
  ensureConsumer(manager, streamName(prefix), {
    durable_name: reader.name,
    filter_subjects: reader.kinds.map((kind) => `${prefix}.events.${kind}`),
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ackWaitMs),
    max_ack_pending: reader.maxUnconfirmed,
    metadata: { [readerMark]: "1" },
  });
