import { randomUUID } from "node:crypto";
import { EventEmitter } from "node:events";
import type { Bus } from "@ci/kit/bus/bus";
import { type FollowedBuild, followedOf } from "../store/build-queries.js";

/** Wakes the watchers of a build when it changes, on every replica. */
export interface Wakeups {
  /** Tells of a build as it has been written. */
  wake(build: FollowedBuild): void;
  /** Calls back for each change of a build until disposed. Without `written`, another replica wrote it. */
  listen(buildId: number, onChange: (written: FollowedBuild | undefined) => void): Disposable;
}

/** Wakeups over the bus, on the topics `output.<build id>`; watchers in this process are woken directly. */
export function wakeupsOver(bus: Pick<Bus, "nudge" | "onNudge">): Wakeups {
  const local = new EventEmitter().setMaxListeners(0);
  const self = randomUUID();
  bus.onNudge("output.*", (from, topic) => {
    if (from !== self) local.emit(topic);
  });
  return {
    wake(build) {
      const topic = `output.${build._id}`;
      if (local.listenerCount(topic) > 0) local.emit(topic, followedOf(build));
      bus.nudge(topic, self);
    },
    listen(buildId, onChange) {
      const topic = `output.${buildId}`;
      local.on(topic, onChange);
      return { [Symbol.dispose]: () => void local.off(topic, onChange) };
    },
  };
}
