import { setTimeout as delay } from "node:timers/promises";
import type { Consumer, ConsumerMessages, JsMsg } from "nats";
import type { Lease } from "../mongo/lease.js";
import { fixedLimit } from "../process/fixed-limit.js";
import type { Log } from "../process/log.js";
import type { ReceivedEvent } from "./event-headers.js";
import { deliverySequence, type Held, hold, pullMs, untilNobodyPulls, untilRedelivered } from "./stream-order.js";

const signOfLifeEveryMs = 500;
/** While there are no events. Anything that arrives ends such a pause. */
const idleEveryMs = 3_000;
const leaseMs = 5_000;
const renewLeaseMs = 1_000;
const maxPullBytes = fixedLimit({
  max: 32 * 1024 ** 2,
  unit: "bytes",
  about: "events that a reader fetches ahead",
  effect: "further ones stay in NATS",
});
const maxBatchBytes = fixedLimit({
  max: 8 * 1024 ** 2,
  unit: "bytes",
  about: "events that a reader handles together",
  effect: "further ones wait for the next batch",
});

interface Consumption {
  open(): Promise<Consumer>;
  /** Returns the event in a message, or undefined after refusing the message for good. */
  read(message: JsMsg): ReceivedEvent | undefined;
  /** Handles events in order. Must tolerate that all or some of them are repeated. */
  handle(events: readonly ReceivedEvent[]): Promise<void>;
  readonly maxBatch: number;
  /** Held while consuming in batches, because concurrent replicas would mix up the order. */
  readonly lease?: Lease;
  readonly gatherMs: number;
  /** How long one event may fail before we try others without it. */
  readonly patienceMs: number;
  connection(): number | undefined;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** Ignores a closed connection, because the stream redelivers unconfirmed messages. */
function whileOpen(send: () => void): void {
  try {
    send();
  } catch {}
}

const orUndefined = async <T>(result: Promise<T>): Promise<T | undefined> => result.catch(() => undefined);

/** Handles events in order until the signal. One that fails for `patienceMs` while others succeed is set aside. */
export async function consume(options: Consumption): Promise<void> {
  const { lease, signal } = options;
  while (!signal.aborted) {
    if (options.connection() === undefined || (lease && !(await orUndefined(lease.take(leaseMs)))))
      await pause(signOfLifeEveryMs, signal);
    else
      await consumeOnce(options)
        .finally(() => lease?.release().catch((err) => options.log.warn({ err }, "lease not released, it will expire")))
        .catch(async (error) => {
          options.log.warn({ err: error }, "cannot consume events, will retry");
          // Meanwhile another process can take the lease.
          await pause(2 * signOfLifeEveryMs, signal);
        });
  }
}

const pause = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal }).catch(() => undefined);

async function consumeOnce(options: Consumption): Promise<void> {
  const { lease, signal } = options;
  const connection = options.connection();
  const term = lease?.term();
  const consumer = await options.open();
  const held: Held[] = [];
  let arrived = () => {};
  let gone: Error | undefined;
  // After a reconnect, lost messages are delivered again later than the messages that follow them.
  const holdsLease = () => !lease || (term !== undefined && lease.term() === term);
  const mayHandle = () => !gone && !signal.aborted && options.connection() === connection && holdsLease();
  const deliveries = deliverySequence();
  const signs = signsOfLife(held, lease, () => {
    arrived();
    return mayHandle();
  });
  const stop = () => arrived();
  let messages: ConsumerMessages | undefined;
  signal.addEventListener("abort", stop, { once: true });
  try {
    if (lease) await untilNobodyPulls(consumer, mayHandle);
    if (!mayHandle()) return;
    messages = await consumer.consume({
      max_bytes: maxPullBytes,
      expires: pullMs,
      // Otherwise the client would ask a deleted reader for messages forever.
      abort_on_missing_resource: true,
      callback(message) {
        deliveries.see(message);
        const event = options.read(message);
        if (event) hold(held, { message, event, sinceMs: performance.now() });
        signs.hurry();
        arrived();
      },
    });
    void messages.closed().then((reason) => {
      gone = reason ?? new Error("The reader was closed");
      arrived();
    });
    const handOver = inOrder(options, held);
    while (mayHandle()) {
      if (held.length > 0) {
        if (options.gatherMs > 0 && held.length < options.maxBatch) await pause(options.gatherMs, signal);
        if (lease && deliveries.missSome()) await untilRedelivered(consumer, held, mayHandle);
        else await handOver();
      } else
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
    }
    if (gone) throw gone;
  } finally {
    signs[Symbol.dispose]();
    signal.removeEventListener("abort", stop);
    messages?.stop();
    for (const { message } of held) whileOpen(() => message.nak());
  }
}

/** Keeps what is held from being redelivered, and renews the lease while `mayRenew`. Rests while nothing is held. */
function signsOfLife(held: readonly Held[], lease: Lease | undefined, mayRenew: () => boolean) {
  let renewedMs = performance.now();
  let renewing = false;
  let nextMs = Number.POSITIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;

  function give(): void {
    const now = performance.now();
    for (const { message, sinceMs } of held) if (now - sinceMs > signOfLifeEveryMs) whileOpen(() => message.working());
    wait(held.length > 0 ? signOfLifeEveryMs : idleEveryMs);
    // A process cut off from the stream lets the lease expire.
    if (!mayRenew() || !lease || renewing || now - renewedMs < renewLeaseMs - signOfLifeEveryMs / 2) return;
    renewedMs = now;
    renewing = true;
    void orUndefined(lease.take(leaseMs)).finally(() => {
      renewing = false;
    });
  }

  function wait(forMs: number): void {
    clearTimeout(timer);
    nextMs = performance.now() + forMs;
    timer = setTimeout(give, forMs);
  }

  wait(signOfLifeEveryMs);
  return {
    hurry() {
      if (nextMs - performance.now() > signOfLifeEveryMs) wait(signOfLifeEveryMs);
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}

/** Returns a function that handles one batch, and resolves when it is time for the next. */
function inOrder({ handle, maxBatch, patienceMs, signal, log }: Consumption, held: Held[]): () => Promise<void> {
  const firstPauseMs = 100;
  const maxTried = 20;
  let pauseMs = firstPauseMs;
  const stuckSinceMs = new Map<string, number>();
  const aside = new Set<string>();

  function nextBatch(from: readonly Held[]): Held[] {
    let sizeBytes = 0;
    const batch = from.slice(0, maxBatch).filter(({ message }) => {
      sizeBytes += message.data.length;
      return sizeBytes <= maxBatchBytes;
    });
    return batch.length > 0 ? batch : from.slice(0, 1);
  }

  function drop(one: Held): void {
    held.splice(held.indexOf(one), 1);
  }

  async function handled(batch: readonly Held[]): Promise<boolean> {
    try {
      await handle(batch.map(({ event }) => event));
    } catch (error) {
      const { kind, id } = batch[0]!.event;
      log.warn({ err: error, kind, event: id, events: batch.length }, "events not handled; will retry");
      return false;
    }
    for (const one of batch) {
      one.message.ack();
      aside.delete(one.event.id);
      stuckSinceMs.delete(one.event.id);
      drop(one);
    }
    return true;
  }

  /** Handles a batch, or if that fails each event alone; returns the first that fails. */
  async function firstFailing(batch: readonly Held[]): Promise<Held | undefined> {
    if (await handled(batch)) return undefined;
    if (batch.length === 1) return batch[0];
    for (const one of batch) if (signal.aborted || !(await handled([one]))) return one;
    return undefined;
  }

  async function anyHandled(others: readonly Held[]): Promise<boolean> {
    if (others.length === 0) return false;
    if (await handled(nextBatch(others))) return true;
    for (const one of others.slice(0, maxTried)) if (!signal.aborted && (await handled([one]))) return true;
    return false;
  }

  return async () => {
    // What arrives meanwhile may be newer than an event that another process has taken.
    const upTo = held.at(-1)!.message.seq;
    const failing = await firstFailing(nextBatch(held));
    if (!failing) {
      pauseMs = firstPauseMs;
      return;
    }
    const { id, kind } = failing.event;
    const sinceMs = stuckSinceMs.get(id) ?? performance.now();
    stuckSinceMs.set(id, sinceMs);
    const overdue = aside.has(id) || performance.now() - sinceMs >= patienceMs;
    if (overdue && (await anyHandled(held.filter((one) => one !== failing && one.message.seq <= upTo)))) {
      log.error({ kind, event: id }, "event set aside because others succeed without it");
      aside.add(id);
      stuckSinceMs.delete(id);
      drop(failing);
      return failing.message.nak(Math.max(patienceMs, 1_000));
    }
    await pause(pauseMs, signal);
    pauseMs = Math.min(pauseMs * 2, 10_000);
  };
}
