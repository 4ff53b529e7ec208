import type { Bus } from "./bus.js";

/** Answers that were given lately. */
export interface TtlCache<K, V> {
  get(key: K): V | undefined;
  /**
   * To be called before asking: what it returns keeps the answer, unless something was forgotten in between. `forMs` is
   * how long the answer holds.
   */
  asking(): (key: K, value: V, forMs?: number) => void;
  /** Forgets everything: some answer no longer holds. */
  forget(): void;
}

/** How many answers are remembered; each takes some hundred bytes. */
const kept = 10_000;

/**
 * Remembers answers for `trustMs` from the moment they were asked for, and only while the bus is connected, which
 * would tell when they no longer hold. The oldest goes first when there are too many.
 */
export function ttlCache<K, V>(bus: Pick<Bus, "connected">, trustMs: number): TtlCache<K, V> {
  const entries = new Map<K, { readonly value: V; readonly until: number }>();
  let forgotten = 0;
  return {
    get(key) {
      const entry = entries.get(key);
      if (!entry) return undefined;
      if (entry.until > performance.now() && bus.connected()) return entry.value;
      entries.delete(key);
      return undefined;
    },
    asking() {
      const [before, askedAt] = [forgotten, performance.now()];
      return (key, value, forMs = Number.POSITIVE_INFINITY) => {
        // News that came while the answer was under way may have been about it.
        if (before !== forgotten || !bus.connected()) return;
        entries.delete(key);
        if (entries.size >= kept) entries.delete(entries.keys().next().value as K);
        entries.set(key, { value, until: askedAt + Math.min(trustMs, forMs) });
      };
    },
    forget() {
      forgotten++;
      entries.clear();
    },
  };
}
