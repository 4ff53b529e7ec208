import type { Bus } from "@ci/kit/bus/bus";

export interface StreamWatch extends Disposable {
  /** Watches these keys from now on, and no others. */
  follow(keys: readonly string[]): void;
  /**
   * Resolves after a wake-up since the last call, after `maxMs` at the latest, or when `signal` fires. Returns whether there
   * was a wake-up.
   */
  wokenUp(maxMs: number, signal: AbortSignal): Promise<boolean>;
}

/** Wakes watchers on all replicas. Wake-ups may get lost. */
export interface StreamWakeups {
  wake(keys: readonly string[]): void;
  /** Watches for new records under any of these keys, and for changed permissions of any user. */
  watch(keys: readonly string[]): StreamWatch;
  on(key: string, listener: () => void): void;
}

/** Earlier versions only know keys of namespaces, and ignore others. */
export const streamKeys = {
  namespace: (id: number) => `${id}`,
  /** What a user owns: namespaces, and builds in none. */
  user: (id: number) => `u${id}`,
  root: (id: number) => `r${id}`,
  newFollower: "followers",
} as const;

const topic = "stream";
/** Cached permissions (access/grants.ts) have expired by then, even if this message arrives first. */
const grantsExpiredMs = 300;
/** Between wake-ups of all watchers while permissions keep changing. */
const restMs = 1_000;

type Watchers = Map<string, Set<() => void>>;

function add(watchers: Watchers, key: string, wake: () => void): void {
  watchers.set(key, (watchers.get(key) ?? new Set()).add(wake));
}

function remove(watchers: Watchers, key: string, wake: () => void): void {
  const others = watchers.get(key);
  others?.delete(wake);
  if (others?.size === 0) watchers.delete(key);
}

export function streamWakeups(bus: Pick<Bus, "nudge" | "onNudge">): StreamWakeups {
  const watchers: Watchers = new Map();
  const all = new Set<() => void>();
  bus.onNudge(topic, (keys) => {
    for (const key of keys.split(",")) for (const wake of watchers.get(key) ?? []) wake();
  });
  let restedAt = 0;
  let isDue = false;
  let isDueAgain = false;
  const wakeAll = () => {
    isDue = true;
    const pauseMs = Math.max(grantsExpiredMs, restedAt - performance.now());
    setTimeout(() => {
      for (const wake of all) wake();
      restedAt = performance.now() + restMs;
      isDue = false;
      if (isDueAgain) wakeAll();
      isDueAgain = false;
    }, pauseMs).unref();
  };
  bus.onNudge("grants", () => {
    if (isDue) isDueAgain = true;
    else wakeAll();
  });
  return {
    wake: (keys) => bus.nudge(topic, keys.join(",")),
    on: (key, listener) => add(watchers, key, listener),
    watch(keys) {
      let woken = false;
      let resume = () => {};
      const wake = () => {
        woken = true;
        resume();
      };
      let followed = new Set<string>();
      const follow = (wanted: readonly string[]) => {
        const next = new Set(wanted);
        for (const key of followed) if (!next.has(key)) remove(watchers, key, wake);
        for (const key of next) if (!followed.has(key)) add(watchers, key, wake);
        followed = next;
      };
      all.add(wake);
      follow(keys);
      return {
        follow,
        async wokenUp(maxMs, signal) {
          if (!woken && !signal.aborted) await waitFor((wakeUp) => (resume = wakeUp), maxMs, signal);
          const result = woken;
          woken = false;
          return result;
        },
        [Symbol.dispose]() {
          all.delete(wake);
          follow([]);
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
