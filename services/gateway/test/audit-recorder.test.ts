import { createLog } from "@ci/kit/process/log";
import { Fault } from "@ci/kit/rpc/fault";
import { eventually } from "@ci/testkit/eventually";
import { auditRecorder } from "../src/audit/recorder.js";

type Entry = { readonly id?: string };

/** Returns a store that can be unavailable, and its recorder. */
function recording() {
  const calls: (readonly Entry[])[] = [];
  const store = { isAway: false };
  const client = {
    async recordEntries({ entries }: { entries: readonly Entry[] }) {
      if (store.isAway) throw new Fault("unavailable", "away");
      if (entries.some(({ id }) => id === "bad")) throw new Fault("internal", "bad");
      calls.push(entries);
      return {};
    },
  };
  return { calls, store, recorder: auditRecorder(client, createLog("test", "silent")) };
}

const ids = (calls: readonly (readonly Entry[])[]) => calls.flat().map(({ id }) => id);

test("entries of the same moment share a call, including those that can wait", async () => {
  const { calls, recorder } = recording();
  recorder.storeSoon({ id: "soon", status: 201 });
  await Promise.all(Array.from({ length: 100 }, (_, nth) => recorder.store({ id: String(nth) })));
  expect(calls).toHaveLength(1);
  expect(calls[0]).toHaveLength(101);
});

test("at most 500 entries go with one call", async () => {
  const { calls, recorder } = recording();
  await Promise.all(Array.from({ length: 1_200 }, (_, nth) => recorder.store({ id: String(nth) })));
  expect(calls.map(({ length }) => length)).toEqual([500, 500, 200]);
});

test("an entry that waits for nobody is stored alone", async () => {
  const { calls, recorder } = recording();
  recorder.storeSoon({ id: "a", status: 201 });
  await eventually(() => expect(ids(calls)).toEqual(["a"]));
});

test("an entry that cannot be stored rejects; later entries are kept and stored in order", async () => {
  const { calls, store, recorder } = recording();
  store.isAway = true;
  recorder.storeSoon({ id: "a", status: 201 });
  await expect(recorder.store({ id: "b" })).rejects.toThrow("away");
  recorder.storeSoon({ id: "b", status: 503 });
  await expect(recorder.store({ id: "c" })).rejects.toThrow("away");
  store.isAway = false;
  await eventually(() => expect(ids(calls)).toEqual(["a", "b"]));
});

test("an entry with a status that cannot be stored rejects, and is stored later", async () => {
  const { calls, store, recorder } = recording();
  store.isAway = true;
  await expect(recorder.store({ id: "a", status: 400 })).rejects.toThrow("away");
  store.isAway = false;
  await eventually(() => expect(ids(calls)).toEqual(["a"]));
});

test("an entry that the store refuses does not hold up the others", async () => {
  const { calls, recorder } = recording();
  recorder.storeSoon({ id: "a", status: 201 });
  const refused = recorder.store({ id: "bad" });
  const stored = recorder.store({ id: "b" });
  await expect(refused).rejects.toThrow("bad");
  await stored;
  recorder.storeSoon({ id: "bad", status: 201 });
  recorder.storeSoon({ id: "c", status: 201 });
  await eventually(() => expect(ids(calls).sort()).toEqual(["a", "b", "c"]));
});

test("no entry is stored as older than it is", async () => {
  const excesses: number[] = [];
  const client = {
    async recordEntries({ entries }: { entries: readonly (Entry & { readonly ageMs?: number })[] }) {
      const nowMs = performance.now();
      for (const { id, ageMs } of entries) excesses.push(ageMs! - (nowMs - Number(id)));
      return {};
    },
  };
  await using recorder = auditRecorder(client, createLog("test", "silent"));
  const fromMs = performance.now();
  for (let nowMs = fromMs; nowMs < fromMs + 5; nowMs = performance.now()) recorder.storeSoon({ id: String(nowMs) });
  await eventually(() => expect(excesses.length).toBeGreaterThan(0));
  expect(Math.max(...excesses)).toBeLessThanOrEqual(0);
});

test("waiting entries are stored before the end", async () => {
  const { calls, recorder } = recording();
  recorder.storeSoon({ id: "a", status: 201 });
  await recorder[Symbol.asyncDispose]();
  expect(ids(calls)).toEqual(["a"]);
});

test("the newest 10,000 entries are kept while the store is away", async () => {
  const { calls, store, recorder } = recording();
  store.isAway = true;
  for (let nth = 0; nth < 10_005; nth++) recorder.storeSoon({ id: String(nth), status: 201 });
  await expect(recorder.store({ id: "x" })).rejects.toThrow("away");
  store.isAway = false;
  await recorder[Symbol.asyncDispose]();
  expect(ids(calls)).toHaveLength(10_000);
  expect(ids(calls).at(-1)).toBe("10004");
});
