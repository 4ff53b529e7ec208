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

/** How full the stream may get before what has been read goes early. */
const roomy = 0.75;

/** Whether a reader wants what is published on a subject. */
function wants({ config }: ConsumerInfo, subject: string): boolean {
  const filters = config.filter_subjects ?? [config.filter_subject ?? ">"];
  return filters.some(
    (filter) => filter === subject || (filter.endsWith(">") && subject.startsWith(filter.slice(0, -1))),
  );
}

/** Up to which message a reader has confirmed everything, of those that the stream had before the reader was asked. */
const readUpTo = (reader: ConsumerInfo, { last_seq }: StreamState): number =>
  reader.num_pending + reader.num_ack_pending === 0 ? last_seq : reader.ack_floor.stream_seq;

/** The last message before a time; the stream only tells it to a consumer that begins there. */
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

/** Removes messages up to `seq`, of each subject only what everybody who wants it has read. */
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

const isTight = ({ state, config }: StreamInfo): boolean =>
  config.max_bytes > 0 && state.bytes > roomy * config.max_bytes;

/**
 * Removes from the stream what is older than `keepMs`, and when it gets full also what is newer, the oldest first; never
 * what one of the services has still to read.
 */
export async function trimStream(manager: JetStreamManager, stream: string, keepMs: number): Promise<void> {
  const since = new Date(Date.now() - keepMs);
  const { state } = await manager.streams.info(stream);
  if (state.messages > 0 && new Date(state.first_ts) < since) {
    const old = await lastBefore(manager, stream, since);
    await removeRead(manager, stream, () => old);
  }
  // What nobody has read may lie anywhere between, so that how much a range takes is only found out.
  for (const part of [0.25, 0.5, 0.75, 1]) {
    if (!isTight(await manager.streams.info(stream))) return;
    await removeRead(manager, stream, ({ first_seq, last_seq }) =>
      Math.floor(first_seq + part * (last_seq - first_seq)),
    );
  }
}
