import type { Bus } from "@ci/kit/bus/bus";

/** One who watches a namespace. */
export interface Watch extends Disposable {
  /** Resolves when there was news since the last call, after `withinMs` anyway, or at the signal. */
  news(withinMs: number, signal: AbortSignal): Promise<void>;
}

/** Wakes those who watch a namespace, whichever replica recorded something. */
export interface Tail {
  /** Says that these namespaces have news. */
  tell(namespaceIds: readonly number[]): void;
  /** From now on hears of what is new in a namespace, and when anybody lost a right. */
  watch(namespaceId: number): Watch;
}

const topic = "stream";
/** What a right was remembered as (access/grants.ts) is forgotten by then, also where this news came first. */
const rightsAfterMs = 300;

/** News over the bus; they may get lost. */
export function tailOver(bus: Pick<Bus, "nudge" | "onNudge">): Tail {
  const watching = new Map<number, Set<() => void>>();
  const wake = (namespaceId: number) => {
    for (const hear of watching.get(namespaceId) ?? []) hear();
  };
  bus.onNudge(topic, (ids) => ids.split(",").map(Number).forEach(wake));
  bus.onNudge("grants", () => {
    setTimeout(() => [...watching.keys()].forEach(wake), rightsAfterMs).unref();
  });
  return {
    tell: (namespaceIds) => bus.nudge(topic, namespaceIds.join(",")),
    watch(namespaceId) {
      let heard = false;
      let resume = () => {};
      const hear = () => {
        heard = true;
        resume();
      };
      const these = watching.get(namespaceId) ?? new Set();
      watching.set(namespaceId, these.add(hear));
      return {
        async news(withinMs, signal) {
          if (!heard && !signal.aborted) await waitFor((wakeUp) => (resume = wakeUp), withinMs, signal);
          heard = false;
        },
        [Symbol.dispose]() {
          these.delete(hear);
          if (these.size === 0 && watching.get(namespaceId) === these) watching.delete(namespaceId);
        },
      };
    },
  };
}

/** Leaves nothing behind at the signal, which lives as long as the stream. */
const waitFor = (listen: (wakeUp: () => void) => void, withinMs: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, withinMs);
    signal.addEventListener("abort", done);
    listen(done);
  });
