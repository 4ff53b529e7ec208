import { randomUUID } from "node:crypto";
import type { Senders } from "../store/senders.js";

export const heartbeatEveryMs = 1_000;

/** Keeps this process known to the others. Its lanes are its own while it lives; others may claim them after its death. */
export interface Heartbeat extends AsyncDisposable {
  readonly holder: string;
  beat(): Promise<void>;
  /** Makes a heartbeat, unless the last one was just made. Call it before claiming a lane. */
  refresh(): Promise<void>;
  /** Reports whether the last heartbeat is young enough for this process to send. */
  isCurrent(): boolean;
  isDead(holder: string): Promise<boolean>;
}

/** Makes the first heartbeat. `lapsed` is called when other processes may be about to claim this one's lanes. */
export async function startHeartbeat(senders: Senders, aliveMs: number, lapsed: () => void): Promise<Heartbeat> {
  const holder = randomUUID();
  // A process trusts its own last heartbeat for one second less, because clocks drift.
  const currentMs = aliveMs - 1_000;
  let currentUntilMs = 0;
  let lapse: NodeJS.Timeout | undefined;
  let refreshing: Promise<void> | undefined;

  async function beat(): Promise<void> {
    const fromMs = performance.now();
    await senders.renew(holder, aliveMs);
    currentUntilMs = fromMs + currentMs;
    clearTimeout(lapse);
    lapse = setTimeout(lapsed, currentUntilMs - performance.now()).unref();
  }

  await beat();
  return {
    holder,
    beat,
    async refresh() {
      if (performance.now() < currentUntilMs - currentMs + heartbeatEveryMs) return;
      refreshing ??= beat().finally(() => {
        refreshing = undefined;
      });
      await refreshing;
    },
    isCurrent: () => performance.now() < currentUntilMs,
    isDead: (other) => senders.isDead(other, aliveMs),
    async [Symbol.asyncDispose]() {
      clearTimeout(lapse);
      await senders.remove(holder).catch(() => undefined);
    },
  };
}
