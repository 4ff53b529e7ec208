import { setTimeout as delay } from "node:timers/promises";

const quietMs = 3_000;
const stepMs = 500;
/** Several short waits, because a stall of this process uses up only one of them. */
const steps = 4;

interface Watched {
  /** Reports whether calls wait, and another replica could take them. */
  matters(): boolean;
  ask(): void;
  onSilent(): void;
}

/** Notices that a replica has stopped responding. Asks it only while calls wait and nothing arrives. */
export function watchSilence({ matters, ask, onSilent }: Watched) {
  let heardAt = performance.now();
  let isSilent = false;
  let isWatching = false;

  async function respondsTo(askedAt: number): Promise<boolean> {
    for (let step = 0; step < steps && heardAt < askedAt; step++) await delay(stepMs, undefined, { ref: false });
    return heardAt >= askedAt;
  }
  async function watch(): Promise<void> {
    while (matters()) {
      await delay(quietMs, undefined, { ref: false });
      const askedAt = performance.now();
      if (askedAt - heardAt < quietMs || !matters()) continue;
      ask();
      if ((await respondsTo(askedAt)) || !matters()) continue;
      isSilent = true;
      return onSilent();
    }
  }

  return {
    isSilent: () => isSilent,
    heard(): void {
      heardAt = performance.now();
      isSilent = false;
    },
    begin(): void {
      if (isWatching || isSilent || !matters()) return;
      isWatching = true;
      void watch().finally(() => {
        isWatching = false;
      });
    },
  };
}
