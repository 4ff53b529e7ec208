import type { Collection } from "mongodb";
import type { Bus } from "../bus/bus.js";
import type { Log } from "../process/log.js";
import { loop } from "../process/loop.js";
import { computedGauge, type Seen } from "../process/metrics.js";
import type { OutboxEvent } from "./document.js";
import type { OutboxDoc } from "./outbox-batch.js";
import { courier } from "./outbox-courier.js";
import type { News } from "./outbox-news.js";

export const outboxIndex = { key: { "outbox.at": 1 }, name: "outbox-at", sparse: true } as const;

const showBacklog = computedGauge({
  name: "ci_outbox_oldest_seconds",
  help: "Age of the oldest event that waits to be published, 0 when none does",
  labelNames: ["collection"],
});

/** Tells the relay that a document has events. With `news` it need not read the document, unless that is deleted. */
export type Nudge = (collection: Collection<never>, id: unknown, news?: News) => void;

/** Returns the news of a document to which these events were added, as it was read before that. */
export const newsOf = (events: readonly OutboxEvent[], before: readonly OutboxEvent[] = []): News => ({
  events,
  before: before.map(({ id }) => id),
});

async function backlogOf(collection: Collection<never>): Promise<Seen> {
  const oldest = (collection as unknown as Collection<OutboxDoc>)
    .find({ "outbox.at": { $exists: true } })
    .sort({ "outbox.at": 1 })
    .limit(1)
    .project<{ ms: number }>({ _id: 0, ms: { $subtract: ["$$NOW", { $first: "$outbox.at" }] } });
  const value = Math.max(0, (await oldest.next())?.ms ?? 0) / 1_000;
  return { value, labels: { collection: collection.collectionName } };
}

/** Returns the names of the collections with events. Asks MongoDB once, however many collections there are. */
async function withEvents([first, ...others]: readonly Collection<never>[]): Promise<Set<string>> {
  if (!first) return new Set();
  const oneOf = (name: string) => [
    { $match: { "outbox.at": { $exists: true } } },
    { $limit: 1 },
    { $project: { _id: 0, name: { $literal: name } } },
  ];
  const found = await first
    .aggregate<{ name: string }>([
      ...oneOf(first.collectionName),
      ...others.map(({ collectionName: coll }) => ({ $unionWith: { coll, pipeline: oneOf(coll) } })),
    ])
    .toArray();
  return new Set(found.map(({ name }) => name));
}

const sweepEveryMs = 1_000;
/** Only events whose process died wait for this long. */
const restMs = 8_000;

/**
 * Publishes the events of outboxes: immediately after a nudge. Otherwise the sweep finds them within about ten seconds,
 * or two if there was news a moment ago. Removes events from their documents within a second after publishing them.
 */
export function relay(
  collections: Collection<never>[],
  bus: Pick<Bus, "publish">,
  options: { signal: AbortSignal; log: Log },
): { nudge: Nudge; done: Promise<unknown> } {
  const couriers = new Map(
    collections.map((one) => [
      one.collectionName,
      courier(one as unknown as Collection<OutboxDoc>, bus.publish, options),
    ]),
  );
  const gauge = showBacklog(() => Promise.all(collections.map(backlogOf)));
  async function sweep(): Promise<number> {
    const waiting = await withEvents(collections);
    let swept = 0;
    for (const [name, one] of couriers) {
      if (!waiting.has(name) && one.isIdle()) one.skipSweep();
      else {
        await one.sweep();
        swept++;
      }
    }
    return swept;
  }

  const sweeping = loop("relay-events", sweepEveryMs, sweep, { ...options, restMs });
  return {
    nudge(collection, id, news) {
      couriers.get(collection.collectionName)!.tell(id, news);
      sweeping.stir();
    },
    done: sweeping.done.then(async () => {
      await gauge[Symbol.asyncDispose]();
      return Promise.allSettled([...couriers.values()].map((one) => one.settled()));
    }),
  };
}
