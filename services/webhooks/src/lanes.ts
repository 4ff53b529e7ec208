import { setMaxListeners } from "node:events";
import type { Log } from "@ci/kit/process/log";

/**
 * Why a webhook is looked at: first attempts for it were just stored here and are in memory; something was stored here
 * that has to be looked for; or it may have something due.
 */
export type Why = "fresh" | "news" | "look";

/** The right to send to one webhook for a while. */
export interface Turn {
  readonly why: Why;
  /** True when others wait for a place or the process stops: after the attempt under way, no more. */
  over(): boolean;
  /** Why somebody came for this webhook since the turn began, or since this was asked last; undefined if nobody did. */
  came(): Why | undefined;
  /** Fires when even the attempt under way must end. */
  readonly signal: AbortSignal;
}

/** Sends to many webhooks side by side, but never twice to one at a time. */
export interface Lanes extends AsyncDisposable {
  /** Has a webhook looked at as soon as there is a place. */
  wake(webhookId: number, why: Why): void;
  /** Ends the attempts under way, which are then made again: somebody else may be about to make them. */
  interrupt(): void;
}

/** How long attempts under way may go on when the process stops. */
const graceMs = 2_000;

/** What every attempt under way listens to. */
function forAll(places: number): AbortController {
  const stopping = new AbortController();
  setMaxListeners(places + 1, stopping.signal);
  return stopping;
}

/**
 * At most `places` runs at a time, one per webhook; who comes while a webhook is being run gets it run again.
 * `run` answers whether there was more to do when its turn was over.
 */
export function lanes(places: number, log: Log, run: (webhookId: number, turn: Turn) => Promise<boolean>): Lanes {
  /** In order of arrival; nobody in it is running. */
  const waiting = new Map<number, Why>();
  /** Those who came while their webhook was being run. */
  const again = new Map<number, Why>();
  const running = new Map<number, Promise<void>>();
  let stopping = forAll(places);
  let closed = false;

  /** Who comes for different reasons comes for the one that holds both. */
  const queue = (line: Map<number, Why>, webhookId: number, why: Why) => {
    const before = line.get(webhookId) ?? why;
    line.set(webhookId, before === why ? why : "news");
  };

  function take(line: Map<number, Why>, webhookId: number): Why | undefined {
    const why = line.get(webhookId);
    line.delete(webhookId);
    return why;
  }

  async function turn(webhookId: number, why: Why): Promise<void> {
    const over = () => closed || (running.size >= places && waiting.size > 0);
    try {
      if (await run(webhookId, { why, over, came: () => take(again, webhookId), signal: stopping.signal }))
        queue(again, webhookId, "look");
    } catch (error) {
      if (!closed) log.warn({ err: error, webhook: webhookId }, "deliveries interrupted, will be repeated");
    }
    running.delete(webhookId);
    const next = take(again, webhookId);
    if (next) queue(waiting, webhookId, next);
    fill();
  }

  function fill(): void {
    for (const [webhookId, why] of waiting) {
      if (closed || running.size >= places) return;
      waiting.delete(webhookId);
      running.set(webhookId, turn(webhookId, why));
    }
  }

  return {
    wake(webhookId, why) {
      queue(running.has(webhookId) ? again : waiting, webhookId, why);
      fill();
    },
    interrupt() {
      stopping.abort();
      stopping = forAll(places);
    },
    async [Symbol.asyncDispose]() {
      closed = true;
      const force = setTimeout(() => stopping.abort(), graceMs);
      await Promise.all(running.values());
      clearTimeout(force);
    },
  };
}
