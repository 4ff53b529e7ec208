import { eventually } from "@ci/testkit/eventually";
import { suite } from "@ci/testkit/suite";
import { type Outbox, type OutboxEvent, outboxEvent } from "../src/mongo/document.js";
import { ensureIndexes, openMongo } from "../src/mongo/mongo.js";
import { newsOf, outboxIndex, relay } from "../src/mongo/outbox.js";
import { createLog } from "../src/process/log.js";

const names = suite();
let mongo: Awaited<ReturnType<typeof openMongo>>;
const docs = () => mongo.db.collection<Outbox & { _id: number }>("docs");
beforeAll(async () => {
  mongo = await openMongo(names.mongoUrl, names.mongoDb);
  await ensureIndexes(docs(), [outboxIndex]);
});
afterAll(() => mongo[Symbol.asyncDispose]());

const event = (entry?: string): OutboxEvent => ({
  ...outboxEvent({ kind: "build.submitted", at: new Date(0), body: undefined }),
  ...(entry && { entry }),
});
const left = async (id: number) => (await docs().findOne({ _id: id }))?.outbox.length ?? 0;

/** Runs a relay whose store of entries is away until `store.isAway` is false. */
function relaying() {
  const [published, recorded] = [[] as string[], [] as string[]];
  const store = { isAway: true, asked: 0 };
  const stop = new AbortController();
  const { nudge, done } = relay(
    [docs() as never],
    { publish: async ({ id }) => void published.push(id) },
    {
      signal: stop.signal,
      log: createLog("test", "silent"),
      async record({ entry }) {
        store.asked++;
        if (store.isAway) throw new Error("away");
        recorded.push(entry!);
      },
    },
  );
  const end = async () => {
    stop.abort();
    await done;
  };
  const add = async (id: number, ...events: OutboxEvent[]) => {
    await docs().insertOne({ _id: id, outbox: events });
    nudge(docs() as never, id, newsOf(events));
  };
  return { published, recorded, store, add, [Symbol.asyncDispose]: end };
}

it("an event leaves its document once its entry is stored; events without entries do not wait for it", async () => {
  await using relay = relaying();
  const [first, second] = [event("first"), event()];
  await relay.add(1, first);
  await relay.add(2, second);
  await eventually(async () => expect(await left(2)).toBe(0));
  await eventually(() => expect(relay.store.asked).toBeGreaterThan(1));
  expect(relay.published).toEqual([first.id, second.id]);
  expect([await left(1), relay.recorded]).toEqual([1, []]);
  relay.store.isAway = false;
  await eventually(async () => expect(await left(1)).toBe(0));
  expect(new Set(relay.recorded)).toEqual(new Set(["first"]));
  // Its event was not published again.
  expect(relay.published).toHaveLength(2);
});

it("the entry of a process that died, or of a deleted document, is stored before the document goes", async () => {
  const later = event();
  await docs().insertOne({ _id: 3, outbox: [event("of the dead"), later] });
  await docs().insertOne({ _id: 4, outbox: [event("of the deleted")], deletedAt: new Date(0) });
  await using relay = relaying();
  await eventually(() => expect(relay.store.asked).toBeGreaterThan(1));
  expect([await left(3), await left(4)]).toEqual([2, 1]);
  expect(relay.published).toContain(later.id);
  relay.store.isAway = false;
  await eventually(async () => expect([await left(3), await docs().countDocuments({ _id: 4 })]).toEqual([0, 0]));
  expect([...new Set(relay.recorded)].sort()).toEqual(["of the dead", "of the deleted"]);
});
