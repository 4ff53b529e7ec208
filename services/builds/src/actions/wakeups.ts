import { randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import type { Bus } from "@ci/kit/bus/bus";

/** Wakes the watchers of a build when it changes, on every replica. */
export interface Wakeups {
  wake(buildId: number): void;
  /** Resolves when the build changes, after `withinMs` at the latest, or at the signal. */
  next(buildId: number, withinMs: number, signal: AbortSignal): Promise<void>;
}

/** Wakeups over the bus, on the topics `output.<build id>`; watchers in this process are woken directly. */
export function wakeupsOver(bus: Pick<Bus, "nudge" | "onNudge">): Wakeups {
  const local = new EventEmitter().setMaxListeners(0);
  const self = randomUUID();
  bus.onNudge("output.*", (from, topic) => {
    if (from !== self) local.emit(topic);
  });
  return {
    wake(buildId) {
      local.emit(`output.${buildId}`);
      bus.nudge(`output.${buildId}`, self);
    },
    async next(buildId, withinMs, signal) {
      const either = AbortSignal.any([signal, AbortSignal.timeout(withinMs)]);
      await once(local, `output.${buildId}`, { signal: either }).catch(() => undefined);
    },
  };
}
