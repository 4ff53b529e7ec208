import { Gauge, Registry } from "prom-client";

/** What /metrics shows. One registry for the process: several services of one process share it. */
export const metrics = new Registry();

/** One value of a gauge and the labels it stands under. */
export interface Seen {
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>>;
}

/**
 * A gauge that asks when somebody looks at it. The answer adds whom it asks, until disposed; of those who show the same
 * labels the last counts. What cannot be asked just now keeps what it showed.
 */
export function computedGauge(about: {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
}): (ask: () => Promise<readonly Seen[]>) => AsyncDisposable {
  const sources = new Set<() => Promise<readonly Seen[]>>();
  new Gauge({
    ...about,
    registers: [metrics],
    async collect() {
      const answers = await Promise.allSettled([...sources].map((ask) => ask()));
      for (const answer of answers)
        if (answer.status === "fulfilled")
          for (const { labels = {}, value } of answer.value) this.set({ ...labels }, value);
    },
  });
  return (ask) => {
    sources.add(ask);
    return { [Symbol.asyncDispose]: async () => void sources.delete(ask) };
  };
}
