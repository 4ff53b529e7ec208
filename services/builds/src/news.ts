import { randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import type { Bus } from "@ci/kit/bus/bus";

/** Wakes those who watch a build, whichever replica it changed in. */
export interface News {
  tell(buildId: number): void;
  /** Resolves at the next news of a build, after `withinMs` anyway, or at the signal. */
  next(buildId: number, withinMs: number, signal: AbortSignal): Promise<void>;
}

/** News over the bus, on the topics `output.<build id>`; those of this process take no such detour. */
export function newsOver(bus: Pick<Bus, "nudge" | "onNudge">): News {
  const heard = new EventEmitter().setMaxListeners(0);
  const self = randomUUID();
  bus.onNudge("output.*", (from, topic) => {
    if (from !== self) heard.emit(topic);
  });
  return {
    tell(buildId) {
      heard.emit(`output.${buildId}`);
      bus.nudge(`output.${buildId}`, self);
    },
    async next(buildId, withinMs, signal) {
      const either = AbortSignal.any([signal, AbortSignal.timeout(withinMs)]);
      await once(heard, `output.${buildId}`, { signal: either }).catch(() => undefined);
    },
  };
}
