// A service that only emits events. It writes documents with events and runs the same relay as every service.
import { connectBus } from "@ci/kit/bus/bus";
import { outboxEvent } from "@ci/kit/mongo/document";
import { ensureIndexes, openMongo } from "@ci/kit/mongo/mongo";
import { newsOf, outboxIndex, relay } from "@ci/kit/mongo/outbox";
import { createLog } from "@ci/kit/process/log";
import { Build } from "@ci/proto/builds/v1/builds";

/**
 * `perSecond` spreads the events over time; without it they are written as fast as possible.
 * @typedef {{ mongoUrl: string, natsUrl: string }} Servers
 * @typedef {{ count: number, userId: number, namespaceIds: number[], perSecond?: number }} Emission
 */

/** The number of documents in one write, unless they are spread over time. */
const batchSize = 100;

const [mongoUrl = "", natsUrl = ""] = process.argv.slice(2);
const log = createLog("emitter", "warn");
const { db } = await openMongo(mongoUrl, "ci_emitter");
const bus = await connectBus(natsUrl, "ci", "emitter", log);
const docs = /** @type {any} */ (db.collection("docs"));
await ensureIndexes(docs, [outboxIndex]);
const { nudge } = relay([docs], bus, { signal: new AbortController().signal, log });
let lastNumber = 0;
/** The last write of each namespace. The next one waits for it, because concurrent writes have no order. */
const lastWrites = /** @type {Map<number, Promise<void>>} */ (new Map());

/**
 * Returns a document with the event of a finished build, as large as a build with two jobs.
 * @param {Emission} emission
 */
const finishedBuild = ({ userId, namespaceIds }) => {
  const number = ++lastNumber;
  const namespaceId = namespaceIds[number % namespaceIds.length];
  const at = new Date();
  const manifest = "driver:\n  type: docker\n  image: node:22\nstages: [test]\njobs:\n  - stage: test\n".repeat(4);
  const value = Build.fromPartial({
    id: number,
    userId,
    namespaceId,
    number,
    status: "passed",
    createdAt: at,
    manifest,
  });
  const event = outboxEvent({
    kind: "build.finished",
    at,
    namespaceId,
    buildId: number,
    body: { $case: "build", value },
  });
  return { _id: number, namespaceId, outbox: [event] };
};

/** @param {any[]} batch */
const write = async (batch) => {
  await docs.insertMany(batch);
  for (const doc of batch) nudge(docs, doc._id, newsOf(doc.outbox));
};

/** @param {Emission} emission */
const emit = async (emission) => {
  const { count, perSecond } = emission;
  const fromMs = performance.now();
  for (let emitted = 0; emitted < count; ) {
    const due = perSecond ? Math.floor(((performance.now() - fromMs) * perSecond) / 1_000) - emitted : batchSize;
    const batch = Array.from({ length: Math.min(due, count - emitted) }, () => finishedBuild(emission));
    emitted += batch.length;
    if (perSecond) {
      for (const doc of batch) {
        const { namespaceId } = doc;
        lastWrites.set(
          namespaceId,
          (lastWrites.get(namespaceId) ?? Promise.resolve()).then(() => write([doc])),
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 2));
    } else await write(batch);
  }
  await Promise.all(lastWrites.values());
};

process.on("message", async (/** @type {Emission} */ emission) => {
  const fromMs = Date.now();
  await emit(emission);
  process.send?.({ emitted: { fromMs } });
});
process.once("disconnect", () => process.exit());
process.send?.({ ready: true });
