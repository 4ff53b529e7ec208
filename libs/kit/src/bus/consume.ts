import { setTimeout as delay } from "node:timers/promises";
import type { Consumer, JsMsg } from "nats";
import type { Lease } from "../mongo/lease.js";
import type { Log } from "../process/log.js";
import type { ReceivedEvent } from "./event-headers.js";

/** How long the stream waits for a sign of life before it hands a message to somebody else. */
export const ackWaitMs = 3_000;
const signOfLifeEveryMs = 500;
/** The longest a request for messages stays at the server. */
const pullMs = 1_000;
/** How long a lease may be relied on after it was last renewed. */
const sureMs = 3_000;
/** A second more: nobody begins what a holder who fell silent may still be at. */
const leaseMs = sureMs + 1_000;
/** By then all that others left behind has come back, but for what was put aside. */
const allBackMs = pullMs + ackWaitMs + 1_000;
const bytesInHand = 32 * 1024 ** 2;
const bytesAtATime = 8 * 1024 ** 2;

/** A message that is neither confirmed nor given back. */
interface Held {
  message: JsMsg;
  readonly event: ReceivedEvent;
  readonly sinceMs: number;
}

export interface Consumption {
  /** Makes sure that the stream has this reader, and returns it. */
  open(): Promise<Consumer>;
  /** The event in a message; undefined when there is none, then the message is never repeated. */
  read(message: JsMsg): ReceivedEvent | undefined;
  /** Some events in order. What it does must bear being repeated, also for a part of them. */
  handle(events: readonly ReceivedEvent[]): Promise<void>;
  /** Most events at a time. */
  readonly atATime: number;
  /** Held while messages are taken, where more than one at a time is in hand: else replicas would mix up the order. */
  readonly alone?: Lease;
  /** How long events are gathered before some are handled, unless there are enough of them already. */
  readonly gatherMs: number;
  /** How long one event may fail before others are tried without it. */
  readonly patienceMs: number;
  /** Tells connections to the stream apart; undefined while there is none. */
  connection(): number | undefined;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** Says something to the stream, unless the connection has been closed: then the stream finds out without. */
function tell(say: () => void): void {
  try {
    say();
  } catch {
    // It comes again.
  }
}

const quietly = async <T>(asked: Promise<T>): Promise<T | undefined> => asked.catch(() => undefined);

/**
 * Hands events over in order, at least once each, until the signal. What fails is tried again before anything after it.
 * One that fails for longer than `patienceMs`, while others do not, comes again later: nobody waits for it for good.
 */
export async function consume(on: Consumption): Promise<void> {
  const { alone, signal } = on;
  while (!signal.aborted) {
    if (on.connection() === undefined || (alone && !(await quietly(alone.take(leaseMs)))))
      await pause(signOfLifeEveryMs, signal);
    else
      await tenure(on).catch(async (error) => {
        on.log.warn({ err: error }, "events not taken, will be repeated");
        await pause(signOfLifeEveryMs, signal);
      });
  }
}

const pause = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal }).catch(() => undefined);

/** Takes and handles messages as long as that is this process's right. */
async function tenure(on: Consumption): Promise<void> {
  const { alone, signal, log } = on;
  const connection = on.connection();
  let sureUntil = performance.now() + sureMs;
  const consumer = await on.open();
  const held: Held[] = [];
  let arrived = () => {};
  let gone: Error | undefined;
  const messages = await consumer.consume({
    max_bytes: bytesInHand,
    expires: pullMs,
    // Else it would ask a reader for messages for ever that the stream has no more.
    abort_on_missing_resource: true,
    callback(message) {
      const event = on.read(message);
      if (event) hold(held, { message, event, sinceMs: performance.now() });
      arrived();
    },
  });
  void messages.closed().then((why) => {
    gone = why ?? new Error("The reader was closed");
    arrived();
  });
  const signOfLife = setInterval(async () => {
    const from = performance.now();
    for (const { message, sinceMs } of held) if (from - sinceMs > signOfLifeEveryMs) tell(() => message.working());
    // Who is cut off from the stream leaves it to others.
    if (alone && ours() && (await quietly(alone.take(leaseMs)))) sureUntil = from + sureMs;
  }, signOfLifeEveryMs);
  // What was on its way when a connection broke comes again later than what follows it.
  const ours = () =>
    !gone && !signal.aborted && on.connection() === connection && (!alone || performance.now() < sureUntil);
  const stop = () => arrived();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const handOver = inOrder(on, held);
    if (alone) await allBack(consumer, held, ours);
    while (ours()) {
      if (held.length > 0) {
        if (on.gatherMs > 0 && held.length < on.atATime) await pause(on.gatherMs, signal);
        await handOver();
      } else
        await new Promise<void>((resolve) => {
          arrived = resolve;
          setTimeout(resolve, signOfLifeEveryMs).unref();
        });
    }
    if (gone) throw gone;
  } finally {
    clearInterval(signOfLife);
    signal.removeEventListener("abort", stop);
    messages.stop();
    for (const { message } of held) tell(() => message.nak());
    if (alone) await alone.release().catch((error) => log.warn({ err: error }, "lease kept until it ends"));
  }
}

/** Keeps messages in the order of the stream. One that comes again takes the place of the one that came before. */
function hold(held: Held[], one: Held): void {
  const { seq } = one.message;
  const after = held.findLastIndex(({ message }) => message.seq <= seq);
  const same = held[after];
  // A stream that was made again counts from 1 again.
  if (same?.message.seq === seq && same.event.id === one.event.id) same.message = one.message;
  else held.splice(after + 1, 0, one);
}

/**
 * Waits until everything that is not confirmed is here. What the stream had given to somebody else comes again one by
 * one, perhaps after something newer, and would otherwise be handled too late.
 */
async function allBack(consumer: Consumer, held: readonly Held[], ours: () => boolean): Promise<void> {
  const untilMs = performance.now() + allBackMs;
  while (ours() && performance.now() < untilMs) {
    // Counted before asking: what comes meanwhile may be newer than what is missing.
    const here = held.length;
    if ((await consumer.info()).num_ack_pending <= here) return;
    await delay(50);
  }
}

/** Hands over what is held, some at a time; resolves when it came to something or it is time to look again. */
function inOrder({ handle, atATime, patienceMs, signal, log }: Consumption, held: Held[]): () => Promise<void> {
  const firstPauseMs = 100;
  let pauseMs = firstPauseMs;
  let stuck: { readonly id: string; readonly sinceMs: number } | undefined;
  /** Those that came to nothing while others did not. */
  const aside = new Set<string>();

  function next(from: readonly Held[]): Held[] {
    let sizeBytes = 0;
    const some = from.slice(0, atATime).filter(({ message }) => {
      sizeBytes += message.data.length;
      return sizeBytes <= bytesAtATime;
    });
    return some.length > 0 ? some : from.slice(0, 1);
  }

  function drop(one: Held): void {
    held.splice(held.indexOf(one), 1);
  }

  async function handled(some: readonly Held[]): Promise<boolean> {
    try {
      await handle(some.map(({ event }) => event));
    } catch (error) {
      const { kind, id } = some[0]!.event;
      log.warn({ err: error, kind, event: id, events: some.length }, "events not handled yet, will be repeated");
      return false;
    }
    for (const one of some) {
      one.message.ack();
      aside.delete(one.event.id);
      drop(one);
    }
    return true;
  }

  /** All of them together, or else one by one up to the first that fails, which is answered. */
  async function firstFailing(some: readonly Held[]): Promise<Held | undefined> {
    if (await handled(some)) return undefined;
    if (some.length === 1) return some[0];
    for (const one of some) if (signal.aborted || !(await handled([one]))) return one;
    return undefined;
  }

  return async () => {
    const failing = await firstFailing(next(held));
    if (!failing) {
      stuck = undefined;
      pauseMs = firstPauseMs;
      return;
    }
    const { id, kind } = failing.event;
    if (stuck?.id !== id) stuck = { id, sinceMs: performance.now() };
    const others = held.filter((one) => one !== failing);
    const overdue = aside.has(id) || performance.now() - stuck.sinceMs >= patienceMs;
    if (overdue && others.length > 0 && (await handled(next(others)))) {
      log.error({ kind, event: id }, "event put aside, others can be handled without it");
      aside.add(id);
      drop(failing);
      return failing.message.nak(Math.max(patienceMs, 1_000));
    }
    await pause(pauseMs, signal);
    pauseMs = Math.min(pauseMs * 2, 10_000);
  };
}
