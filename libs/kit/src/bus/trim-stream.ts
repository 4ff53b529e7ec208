import {
  AckPolicy,
  type ConsumerInfo,
  DeliverPolicy,
  type JetStreamManager,
  nanos,
  type StreamInfo,
  type StreamState,
} from "nats";
import { isOurs } from "./jetstream.js";

/** The share of the stream that may be full before we remove read events early. */
const maxFill = 0.75;

function wants({ config }: ConsumerInfo, subject: string): boolean {
  const filters = config.filter_subjects ?? [config.filter_subject ?? ">"];
  return filters.some(
    (filter) => filter === subject || (filter.endsWith(">") && subject.startsWith(filter.slice(0, -1))),
  );
}

/** Returns the last message up to which a reader has confirmed everything that the stream held. */
const readUpTo = (reader: ConsumerInfo, { last_seq }: StreamState): number =>
  reader.num_pending + reader.num_ack_pending === 0 ? last_seq : reader.ack_floor.stream_seq;

/** Returns the last message before a time. JetStream reveals it only to a consumer that starts at this time. */
async function lastBefore(manager: JetStreamManager, stream: string, time: Date): Promise<number> {
  const from = await manager.consumers.add(stream, {
    deliver_policy: DeliverPolicy.StartTime,
    opt_start_time: time.toISOString(),
    ack_policy: AckPolicy.None,
    mem_storage: true,
    inactive_threshold: nanos(10_000),
  });
  await manager.consumers.delete(stream, from.name);
  return from.delivered.stream_seq;
}

/** Removes messages up to a limit, of each subject only those that all its readers have confirmed. */
async function removeRead(manager: JetStreamManager, stream: string, upTo: (state: StreamState) => number) {
  const info = await manager.streams.info(stream, { subjects_filter: ">" });
  const readers: ConsumerInfo[] = [];
  for await (const one of manager.consumers.list(stream)) if (isOurs(one.config)) readers.push(one);
  const limit = upTo(info.state);
  for (const subject of Object.keys(info.state.subjects ?? {})) {
    const read = readers.filter((one) => wants(one, subject)).map((one) => readUpTo(one, info.state));
    const seq = Math.min(limit, ...read);
    if (seq >= info.state.first_seq) await manager.streams.purge(stream, { filter: subject, seq: seq + 1 });
  }
}

const isNearlyFull = ({ state, config }: StreamInfo): boolean =>
  config.max_bytes > 0 && state.bytes > maxFill * config.max_bytes;

/** Removes events older than `keepMs`, and newer ones when the stream gets full, but none that is unread. */
export async function trimStream(manager: JetStreamManager, stream: string, keepMs: number): Promise<void> {
  const before = new Date(Date.now() - keepMs);
  const { state } = await manager.streams.info(stream);
  if (state.messages > 0 && new Date(state.first_ts) < before) {
    const old = await lastBefore(manager, stream, before);
    await removeRead(manager, stream, () => old);
  }
  // Unread events may lie anywhere, so we cannot know how much space a range frees.
  for (const part of [0.25, 0.5, 0.75, 1]) {
    if (!isNearlyFull(await manager.streams.info(stream))) return;
    await removeRead(manager, stream, ({ first_seq, last_seq }) =>
      Math.floor(first_seq + part * (last_seq - first_seq)),
    );
  }
}
