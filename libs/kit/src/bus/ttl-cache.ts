import { fixedLimit } from "../process/fixed-limit.js";
import type { Bus } from "./bus.js";

export interface TtlCache<K, V> {
  get(key: K): V | undefined;
  /** Call this before a request. The returned function stores the response, unless `forget` was called meanwhile. */
  asking(): (key: K, value: V, forMs?: number) => void;
  forget(): void;
}

const maxEntries = fixedLimit({ max: 10_000, about: "entries of one cache", effect: "the oldest entry is dropped" });

/** Trusts values for `trustMs`, and only while connected to the bus, which announces changes. */
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
        // The response may be older than a change that was announced while we waited.
        if (before !== forgotten || !bus.connected()) return;
        entries.delete(key);
        if (entries.size >= maxEntries) entries.delete(entries.keys().next().value as K);
        entries.set(key, { value, until: askedAt + Math.min(trustMs, forMs) });
      };
    },
    forget() {
      forgotten++;
      entries.clear();
    },
  };
}
