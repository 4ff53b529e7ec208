import { eventually } from "@ci/testkit/eventually";
import { aStore, emptyStore, from, later, limits, MiB, neverUsed, silentSource } from "./a-store.js";

const { db, store, documentCounts, read } = aStore();

describe("sweep", () => {
  // A put that stops halfway leaves the same documents as a crash.
  const interruptedPut = async () => {
    const abort = new AbortController();
    const { source, silent } = silentSource();
    const put = store.put(source(), { ...limits, signal: abort.signal });
    put.catch(() => {});
    await silent;
    return { put, abort };
  };

  test("removes the chunks of an interrupted upload", async () => {
    const { put, abort } = await interruptedPut();
    // The second write may still be running.
    await eventually(async () => expect(await documentCounts()).toEqual({ files: 0, chunks: 2, uploads: 1 }));
    expect(await store.sweep(later(), neverUsed)).toBe(1);
    expect(await documentCounts()).toEqual(emptyStore);
    abort.abort();
    await expect(put).rejects.toThrow();
    expect(await documentCounts()).toEqual(emptyStore);
  });

  test("makes a running upload that it removes fail, so that the upload stores nothing more", async () => {
    let swept = () => {};
    const sweepDone = new Promise<void>((resolve) => {
      swept = resolve;
    });
    async function* source() {
      yield Buffer.alloc(2 * MiB);
      await store.sweep(later(), neverUsed);
      swept();
      yield Buffer.alloc(2 * MiB);
    }
    await expect(store.put(source(), limits)).rejects.toMatchObject({ code: "unavailable" });
    await sweepDone;
    expect(await documentCounts()).toEqual(emptyStore);
  });

  test("keeps a long upload that is still running", async () => {
    let swept = -1;
    async function* source() {
      for (let i = 0; i < 17; i++) yield Buffer.alloc(MiB);
      const start = new Date();
      // Once the clock has passed the first mark, later writes must renew the mark.
      await eventually(() => expect(Date.now()).toBeGreaterThan(start.getTime()));
      for (let i = 0; i < 17; i++) yield Buffer.alloc(MiB);
      swept = await store.sweep(start, neverUsed);
      yield Buffer.alloc(1);
    }
    await expect(store.put(source(), limits)).resolves.toMatchObject({ sizeBytes: 34 * MiB + 1 });
    expect(swept).toBe(0);
  });

  test("removes unused content, and calls isUsed once for used content", async () => {
    const used = await store.put(from("used"), limits);
    const unused = await store.put(from("unused"), limits);
    const queriedIds: string[] = [];
    const isUsed = async (blobId: string) => queriedIds.push(blobId) > 0 && blobId === used.blobId;
    expect(await store.sweep(new Date(0), isUsed)).toBe(0);
    expect(queriedIds).toEqual([]);
    expect(await store.sweep(later(), isUsed)).toBe(1);
    expect(await store.sweep(later(), isUsed)).toBe(0);
    expect(queriedIds.sort()).toEqual([used.blobId, unused.blobId].sort());
    expect(await documentCounts()).toEqual({ files: 1, chunks: 1, uploads: 0 });
    expect((await read(used.blobId)).toString()).toBe("used");
  });

  test("does not call isUsed for kept content until it is released", async () => {
    const { blobId } = await store.put(from("x"), limits);
    await store.keep(blobId);
    await store.keep(blobId);
    expect(await store.sweep(later(), neverUsed)).toBe(0);
    await store.release(blobId);
    expect(await store.sweep(later(), neverUsed)).toBe(1);
    expect(await documentCounts()).toEqual(emptyStore);
  });

  test("removes content, and a later keep fails", async () => {
    const { blobId } = await store.put(from("x"), limits);
    await store.sweep(later(), neverUsed);
    await expect(store.keep(blobId)).rejects.toMatchObject({ code: "unavailable" });
  });

  test("makes keep fail if it is called while isUsed runs and isUsed then returns false", async () => {
    const { blobId } = await store.put(from("x"), limits);
    let keeping: Promise<unknown> = Promise.resolve();
    const isUsed = async () => {
      keeping = store.keep(blobId);
      await keeping.catch(() => {});
      return false;
    };
    expect(await store.sweep(later(), isUsed)).toBe(1);
    await expect(keeping).rejects.toMatchObject({ code: "unavailable" });
  });

  test("leaves content that was released during isUsed to the next sweep", async () => {
    const { blobId } = await store.put(from("x"), limits);
    const isUsed = async () => {
      await store.release(blobId);
      return true;
    };
    expect(await store.sweep(later(), isUsed)).toBe(0);
    expect(await store.sweep(later(), neverUsed)).toBe(1);
  });

  test("finishes an interrupted removal without calling isUsed", async () => {
    const { blobId } = await store.put(from("x"), limits);
    await store.keep(blobId);
    // Every removal begins with this write.
    const uploads = db.collection<{ _id: string; at: Date; deleted: boolean }>("things.uploads");
    await uploads.insertOne({ _id: blobId, at: new Date(), deleted: true });
    expect(await store.sweep(later(), async () => true)).toBe(1);
    expect(await documentCounts()).toEqual(emptyStore);
  });

  test("removes unused content and keeps used content when two sweeps run at once", async () => {
    const used = await store.put(from("used"), limits);
    for (let i = 0; i < 20; i++) await store.put(from("unused"), limits);
    const isUsed = async (blobId: string) => blobId === used.blobId;
    await Promise.all([store.sweep(later(), isUsed), store.sweep(later(), isUsed)]);
    await store.sweep(later(), isUsed);
    expect(await documentCounts()).toEqual({ files: 1, chunks: 1, uploads: 0 });
  });
});
