import type { Bus } from "@ci/kit/bus/bus";

export interface StreamWatch extends Disposable {
  /** Resolves after a wake-up since the last call, after `maxMs` at the latest, or when `signal` fires. */
  wokenUp(maxMs: number, signal: AbortSignal): Promise<void>;
}

/** Wakes the watchers of a namespace on all replicas. Wake-ups may get lost. */
export interface StreamWakeups {
  wake(namespaceIds: readonly number[]): void;
  /** Watches a namespace for new records, and for revoked permissions of any user. */
  watch(namespaceId: number): StreamWatch;
}

const topic = "stream";
/** Cached permissions (access/grants.ts) have expired by then, even if this message arrives first. */
const grantsExpiredMs = 300;

export function streamWakeups(bus: Pick<Bus, "nudge" | "onNudge">): StreamWakeups {
  const watchers = new Map<number, Set<() => void>>();
  const wakeAll = (namespaceId: number) => {
    for (const wake of watchers.get(namespaceId) ?? []) wake();
  };
  bus.onNudge(topic, (ids) => ids.split(",").map(Number).forEach(wakeAll));
  bus.onNudge("grants", () => {
    setTimeout(() => [...watchers.keys()].forEach(wakeAll), grantsExpiredMs).unref();
  });
  return {
    wake: (namespaceIds) => bus.nudge(topic, namespaceIds.join(",")),
    watch(namespaceId) {
      let woken = false;
      let resume = () => {};
      const wake = () => {
        woken = true;
        resume();
      };
      const others = watchers.get(namespaceId) ?? new Set();
      watchers.set(namespaceId, others.add(wake));
      return {
        async wokenUp(maxMs, signal) {
          if (!woken && !signal.aborted) await waitFor((wakeUp) => (resume = wakeUp), maxMs, signal);
          woken = false;
        },
        [Symbol.dispose]() {
          others.delete(wake);
          if (others.size === 0 && watchers.get(namespaceId) === others) watchers.delete(namespaceId);
        },
      };
    },
  };
}

/** Removes its listener from the signal, which lives as long as the stream. */
const waitFor = (listen: (wakeUp: () => void) => void, maxMs: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, maxMs);
    signal.addEventListener("abort", done);
    listen(done);
  });
