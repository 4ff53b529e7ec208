import { setMaxListeners } from "node:events";
import type { Log } from "@ci/kit/process/log";

/** `fresh`: first attempts just stored here are in memory. `news`: something here must be read. `look`: maybe due. */
export type WakeReason = "fresh" | "news" | "look";

export interface Turn {
  readonly reason: WakeReason;
  /**
   * Reports whether to stop after this many attempts: the process stops, or other webhooks wait for a slot. Waiting ones
   * stop no turn before its first attempt. Otherwise, with more webhooks than slots, none would ever make one.
   */
  isOver(attempts: number): boolean;
  /** Returns why the webhook was woken since the turn began or since the last call; undefined if it was not. */
  takeWake(): WakeReason | undefined;
  readonly signal: AbortSignal;
}

/** Runs the lanes of many webhooks side by side, and each of them at most once at a time. */
export interface LaneScheduler extends AsyncDisposable {
  wake(webhookId: number, reason: WakeReason): void;
  /** Aborts all present attempts, because other processes may be about to repeat them. */
  interrupt(): void;
}

const graceMs = 2_000;

function abortForAll(slots: number): AbortController {
  const stopping = new AbortController();
  setMaxListeners(slots + 1, stopping.signal);
  return stopping;
}

/** Adds a reason. Different ones become `news`. */
function addWake(wakes: Map<number, WakeReason>, webhookId: number, reason: WakeReason): void {
  const earlier = wakes.get(webhookId) ?? reason;
  wakes.set(webhookId, earlier === reason ? reason : "news");
}

function takeWake(wakes: Map<number, WakeReason>, webhookId: number): WakeReason | undefined {
  const reason = wakes.get(webhookId);
  wakes.delete(webhookId);
  return reason;
}

/** Runs woken webhooks, again if woken meanwhile. `run` returns whether more was due at the end of the turn. */
export function laneScheduler(
  slots: number,
  log: Log,
  run: (webhookId: number, turn: Turn) => Promise<boolean>,
): LaneScheduler {
  const waiting = new Map<number, WakeReason>();
  const again = new Map<number, WakeReason>();
  const running = new Map<number, Promise<void>>();
  let stopping = abortForAll(slots);
  let closed = false;

  async function runTurn(webhookId: number, reason: WakeReason): Promise<void> {
    const isOver = (attempts: number) => closed || (attempts > 0 && running.size >= slots && waiting.size > 0);
    const turn = { reason, isOver, takeWake: () => takeWake(again, webhookId), signal: stopping.signal };
    try {
      if (await run(webhookId, turn)) addWake(again, webhookId, "look");
    } catch (error) {
      if (!closed) log.warn({ err: error, webhook: webhookId }, "deliveries interrupted, will be retried");
    }
    running.delete(webhookId);
    const next = takeWake(again, webhookId);
    if (next) addWake(waiting, webhookId, next);
    fillSlots();
  }

  function fillSlots(): void {
    for (const [webhookId, reason] of waiting) {
      if (closed || running.size >= slots) return;
      waiting.delete(webhookId);
      running.set(webhookId, runTurn(webhookId, reason));
    }
  }

  return {
    wake(webhookId, reason) {
      addWake(running.has(webhookId) ? again : waiting, webhookId, reason);
      fillSlots();
    },
    interrupt() {
      stopping.abort();
      stopping = abortForAll(slots);
    },
    async [Symbol.asyncDispose]() {
      closed = true;
      const force = setTimeout(() => stopping.abort(), graceMs);
      await Promise.all(running.values());
      clearTimeout(force);
    },
  };
}
