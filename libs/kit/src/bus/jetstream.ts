import { type ConsumerConfig, type JetStreamManager, NatsError, type StreamConfig } from "nats";

/** What JetStream says of a stream or a consumer that is there with other settings (its error codes). */
const existsOtherwise = [10058, 10148, 10013];

function otherwise(error: unknown): void {
  if (!(error instanceof NatsError && existsOtherwise.includes(error.api_error?.err_code ?? 0))) throw error;
}

/** Makes a stream, or gives the one of this name these settings: another version may have made it. */
export async function ensureStream(manager: JetStreamManager, settings: Partial<StreamConfig> & { name: string }) {
  await manager.streams.add(settings).catch((error) => {
    otherwise(error);
    return manager.streams.update(settings.name, settings);
  });
}

/** The same for a durable consumer; its place in the stream stays. */
export async function ensureConsumer(
  manager: JetStreamManager,
  stream: string,
  settings: Partial<ConsumerConfig> & { durable_name: string },
) {
  await manager.consumers.add(stream, settings).catch((error) => {
    otherwise(error);
    return manager.consumers.update(stream, settings.durable_name, settings);
  });
}
