import { pieceEnd } from "@ci/kit/bytes/characters";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { fairBytes } from "@ci/kit/turns/fair-bytes";
import { keptByLength } from "../delivery/kept-by-length.js";
import type { Stream } from "../store/stream.js";
import type { StreamRecord } from "../store/stream-batches.js";

export interface Block {
  readonly bytes: Buffer;
  readonly isLast: boolean;
}

/** Payloads that are too long for each reader of a stream to hold. */
export interface LongPayloads {
  /** Returns a copy of a block of a payload from an offset; undefined if the record is gone. */
  block(userId: number, record: StreamRecord, offset: number): Promise<Block | undefined>;
}

const maxBlockBytes = fixedLimit({
  max: 64 * 1024,
  unit: "bytes",
  about: "long payload that is in memory for one reader of an event stream",
  effect: "the reader gets more once it has read that",
});
const maxKeptBytes = fixedLimit({
  max: 16 * 1024 ** 2,
  unit: "bytes",
  about: "payloads of more than 8 KiB that a process keeps for all readers of event streams",
  effect: "the least recently sent ones are read again",
});
const maxReadBytes = fixedLimit({
  max: 8 * 1024 ** 2,
  unit: "bytes",
  about: "payloads of more than 8 KiB that a process reads at a time for event streams",
  effect: "further ones wait; users take turns",
});
const refusal = "Too many events are being read";
const maxWaiting = fixedLimit({
  max: 1_000,
  about: "payloads of more than 8 KiB that wait to be read for the event streams of one user",
  refusal,
});

export function longPayloads(stream: Pick<Stream, "payloadOf">): LongPayloads {
  const kept = keptByLength<Buffer | undefined>(maxKeptBytes);
  const inTurn = fairBytes<number>(maxReadBytes, maxWaiting, refusal);

  async function read(id: number): Promise<Buffer | undefined> {
    const payload = await stream.payloadOf(id);
    return payload === undefined ? undefined : Buffer.from(payload);
  }

  return {
    async block(userId, { _id, payloadBytes }, offset) {
      const key = `${_id}`;
      const payload = kept.take(key) ?? inTurn(userId, payloadBytes, () => read(_id));
      kept.keep(key, payload);
      const bytes = await payload;
      if (!bytes) return undefined;
      const end = pieceEnd(bytes, offset, maxBlockBytes);
      return { bytes: Buffer.from(bytes.subarray(offset, end)), isLast: end === bytes.length };
    },
  };
}
