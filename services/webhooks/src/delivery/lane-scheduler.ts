import { setMaxListeners } from "node:events";
import type { Log } from "@ci/kit/process/log";
import { fairQueue } from "@ci/kit/turns/fair-queue";
import { joinWakes, type WakeReason, type Woken } from "./wake.js";

export interface Turn {
  readonly webhook: Woken;
  readonly reason: WakeReason;
  /**
   * Reports whether to stop after this many attempts: the process stops, or the slot is wanted by webhooks of the same
   * owner or of an owner with fewer slots. Waiting ones stop no turn before its first attempt. Otherwise, with more
   * webhooks than slots, none would ever make one.
   */
  isOver(attempts: number): boolean;
  /** Returns why the webhook was woken since the turn began or since the last call; undefined if it was not. */
  takeWake(): WakeReason | undefined;
  readonly signal: AbortSignal;
}

/** Runs the lanes of many webhooks side by side, and each of them at most once at a time. Their owners share the slots. */
export interface LaneScheduler extends AsyncDisposable {
  wake(webhook: Woken, reason: WakeReason): void;
  /** Aborts all present attempts, because other processes may be about to repeat them. */
  interrupt(): void;
  areRunning(): boolean;
}

const graceMs = 2_000;

function abortForAll(slots: number): AbortController {
  const stopping = new AbortController();
  setMaxListeners(slots + 1, stopping.signal);
  return stopping;
}

/** Keeps wakes until the turns that take them, joined by webhook. */
function keptWakes() {
  const wakes = new Map<number, WakeReason>();
  return {
    add: (webhookId: number, reason: WakeReason) => wakes.set(webhookId, joinWakes(reason)(wakes.get(webhookId))),
    take(webhookId: number): WakeReason | undefined {
      const reason = wakes.get(webhookId);
      wakes.delete(webhookId);
      return reason;
    },
  };
}

/**
 * Runs woken webhooks, again if woken meanwhile. `run` returns in how many ms more may be sent at the end of the turn;
 * undefined if nothing is due. A webhook that has to wait takes no slot, and wakes do not end its wait.
 */
export function laneScheduler(
  slots: number,
  log: Log,
  run: (turn: Turn) => Promise<number | undefined>,
): LaneScheduler {
  const queue = fairQueue<number, number, WakeReason>(slots);
  const again = keptWakes();
  const running = new Map<number, Promise<void>>();
  const waiting = new Map<number, NodeJS.Timeout>();
  const goingOn = new Set<number>();
  let stopping = abortForAll(slots);
  let closed = false;

  function queueAgain({ _id, userId }: Woken): void {
    const next = again.take(_id);
    if (next) queue.add(userId, _id, joinWakes(next));
  }

  /** Queues the next turn. Later wakes stay in `again` for it: as its reason, they would make it read before each attempt. */
  function goOn({ _id, userId }: Woken): void {
    goingOn.add(_id);
    queue.add(userId, _id, joinWakes("fresh"));
  }

  function waitFor(webhook: Woken, forMs: number): void {
    const resume = () => {
      waiting.delete(webhook._id);
      goOn(webhook);
      fillSlots();
    };
    waiting.set(webhook._id, setTimeout(resume, Math.ceil(forMs)));
  }

  async function runTurn(webhook: Woken, reason: WakeReason): Promise<void> {
    const { _id, userId } = webhook;
    const isOver = (attempts: number) => closed || (attempts > 0 && queue.isWanted(userId));
    const turn = { webhook, reason, isOver, takeWake: () => again.take(_id), signal: stopping.signal };
    let nextInMs: number | undefined;
    try {
      nextInMs = await run(turn);
    } catch (error) {
      if (!closed) log.warn({ err: error, webhook: _id }, "deliveries interrupted, will be retried");
    }
    running.delete(_id);
    if (nextInMs === undefined) queueAgain(webhook);
    else if (nextInMs === 0) goOn(webhook);
    else if (!closed) waitFor(webhook, nextInMs);
    queue.release(userId);
    fillSlots();
  }

  function fillSlots(): void {
    while (!closed) {
      const next = queue.take();
      if (!next) return;
      goingOn.delete(next.key);
      running.set(next.key, runTurn({ _id: next.key, userId: next.owner }, next.value));
    }
  }

  return {
    wake(webhook, reason) {
      if ([running, waiting, goingOn].some((ids) => ids.has(webhook._id))) again.add(webhook._id, reason);
      else queue.add(webhook.userId, webhook._id, joinWakes(reason));
      fillSlots();
    },
    interrupt() {
      stopping.abort();
      stopping = abortForAll(slots);
    },
    areRunning: () => running.size > 0,
    async [Symbol.asyncDispose]() {
      closed = true;
      for (const timer of waiting.values()) clearTimeout(timer);
      const force = setTimeout(() => stopping.abort(), graceMs);
      await Promise.all(running.values());
      clearTimeout(force);
    },
  };
}
