import { setTimeout as delay } from "node:timers/promises";
import type { Consumer, JsMsg } from "nats";
import type { ReceivedEvent } from "./event-headers.js";
import { ackWaitMs } from "./jetstream.js";

export const pullMs = 5_000;
/** After this time the stream has redelivered what others left behind, except events set aside. */
const redeliveredMs = pullMs + ackWaitMs + 1_000;

export interface Held {
  message: JsMsg;
  readonly event: ReceivedEvent;
  readonly sinceMs: number;
}

/** Keeps messages in the order of the stream. A redelivered one replaces its predecessor. */
export function hold(held: Held[], one: Held): void {
  const { seq } = one.message;
  const after = held.findLastIndex(({ message }) => message.seq <= seq);
  const same = held[after];
  // A recreated stream counts from 1 again, so the number alone does not identify a message.
  if (same?.message.seq === seq && same.event.id === one.event.id) same.message = one.message;
  else held.splice(after + 1, 0, one);
}

/** Notices deliveries to other processes: one that froze for longer than its lease may still ask for messages as it wakes. */
export function deliverySequence() {
  let last = 0;
  let miss = true;
  return {
    see({ info }: JsMsg) {
      miss ||= info.deliverySequence !== last + 1;
      last = info.deliverySequence;
    },
    /** Reports whether a delivery has gone elsewhere since the last call. Before the first call, one may have. */
    missSome() {
      const missed = miss;
      miss = false;
      return missed;
    },
  };
}

/** Waits for the requests of a process that froze, which would take messages for seconds. */
export async function untilNobodyPulls(consumer: Consumer, isOurs: () => boolean): Promise<void> {
  const untilMs = performance.now() + pullMs + 1_000;
  while (isOurs() && performance.now() < untilMs && (await consumer.info()).num_waiting > 0) await delay(50);
}

/** Waits for redeliveries of what another process has received, which would otherwise be handled too late. */
export async function untilRedelivered(
  consumer: Consumer,
  held: readonly Held[],
  isOurs: () => boolean,
): Promise<void> {
  const untilMs = performance.now() + redeliveredMs;
  while (isOurs() && performance.now() < untilMs) {
    // Look before asking: what arrives meanwhile may be newer than the missing ones, and what is confirmed is not pending.
    const here = held.map(({ message }) => message.seq);
    const { num_ack_pending, ack_floor } = await consumer.info();
    if (num_ack_pending <= here.filter((seq) => seq > ack_floor.stream_seq).length) return;
    await delay(50);
  }
}
