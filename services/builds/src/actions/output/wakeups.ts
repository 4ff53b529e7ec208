import { EventEmitter } from "node:events";
import type { Bus } from "@ci/kit/bus/bus";
import type { BuildDoc } from "../../domain/build.js";
import { type FollowedBuild, followedOf } from "../../store/followed-builds.js";

export interface Wakeups {
  /** Tells watchers on every replica of a build as it has been written. */
  wake(build: BuildDoc): void;
  /** Tells only watchers in this process: enough for a change that shows them nothing, such as a claim. */
  wakeHere(build: BuildDoc): void;
  /** Calls back for each change of a build until disposed. Without `written`, another replica wrote it. */
  listen(buildId: number, onChange: (written: FollowedBuild | undefined) => void): Disposable;
}

const topicOf = (buildId: number | "*") => `output.${buildId}`;

/** Wakes watchers in this process directly, and those of other replicas over the bus, which does not echo. */
export function wakeupsOver(bus: Pick<Bus, "nudge" | "onNudge">): Wakeups {
  const local = new EventEmitter().setMaxListeners(0);
  bus.onNudge(topicOf("*"), (_text, topic) => local.emit(topic));
  function wakeHere(build: BuildDoc): void {
    const topic = topicOf(build._id);
    if (local.listenerCount(topic) > 0) local.emit(topic, followedOf(build));
  }
  return {
    wakeHere,
    wake(build) {
      wakeHere(build);
      bus.nudge(topicOf(build._id));
    },
    listen(buildId, onChange) {
      const topic = topicOf(buildId);
      local.on(topic, onChange);
      return { [Symbol.dispose]: () => void local.off(topic, onChange) };
    },
  };
}
