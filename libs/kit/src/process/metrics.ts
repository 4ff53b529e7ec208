import { Gauge, Registry } from "prom-client";

/** One registry per process; several services in one process share it. */
export const metrics = new Registry();

export interface Seen {
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>>;
}

/** A gauge computed at each scrape from sources, which are added until disposed. A failed source keeps its values. */
export function computedGauge(about: {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
}): (measure: () => Promise<readonly Seen[]>) => AsyncDisposable {
  const sources = new Set<() => Promise<readonly Seen[]>>();
  new Gauge({
    ...about,
    registers: [metrics],
    async collect() {
      const results = await Promise.allSettled([...sources].map((measure) => measure()));
      for (const result of results)
        if (result.status === "fulfilled")
          for (const { labels = {}, value } of result.value) this.set({ ...labels }, value);
    },
  });
  return (measure) => {
    sources.add(measure);
    return { [Symbol.asyncDispose]: async () => void sources.delete(measure) };
  };
}
