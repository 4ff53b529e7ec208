import { eventually } from "@ci/testkit/eventually";
import { aStore, fallsSilent, from, later, limits, MiB, never, nothing } from "./a-store.js";

const { db, store, left, read } = aStore();

describe("sweep", () => {
  // A put that stops in the middle leaves the same as a crash.
  const crashed = async () => {
    const until = new AbortController();
    const { source, silent } = fallsSilent();
    const put = store.put(source(), { ...limits, signal: until.signal });
    put.catch(() => {});
    await silent;
    return { put, until };
  };

  test("removes what an interrupted upload left behind", async () => {
    const { put, until } = await crashed();
    // The second one may still be running.
    await eventually(async () => expect(await left()).toEqual({ files: 0, chunks: 2, uploads: 1 }));
    expect(await store.sweep(later(), never)).toBe(1);
    expect(await left()).toEqual(nothing);
    until.abort();
    await expect(put).rejects.toThrow();
    expect(await left()).toEqual(nothing);
  });

  test("makes an upload that it believed dead fail without leaving anything behind", async () => {
    let swept = () => {};
    const gone = new Promise<void>((resolve) => {
      swept = resolve;
    });
    async function* source() {
      yield Buffer.alloc(2 * MiB);
      await store.sweep(later(), never);
      swept();
      yield Buffer.alloc(2 * MiB);
    }
    await expect(store.put(source(), limits)).rejects.toMatchObject({ code: "unavailable" });
    await gone;
    expect(await left()).toEqual(nothing);
  });

  test("spares a long upload that is still running", async () => {
    let swept = -1;
    async function* source() {
      for (let i = 0; i < 17; i++) yield Buffer.alloc(MiB);
      const start = new Date();
      // Wait for the clock to pass the first mark, then write on: the mark must follow.
      await eventually(() => expect(Date.now()).toBeGreaterThan(start.getTime()));
      for (let i = 0; i < 17; i++) yield Buffer.alloc(MiB);
      swept = await store.sweep(start, never);
      yield Buffer.alloc(1);
    }
    await expect(store.put(source(), limits)).resolves.toMatchObject({ sizeBytes: 34 * MiB + 1 });
    expect(swept).toBe(0);
  });

  test("removes unused content, and asks only once about used content", async () => {
    const used = await store.put(from("used"), limits);
    const unused = await store.put(from("unused"), limits);
    const asked: string[] = [];
    const isUsed = async (blobId: string) => asked.push(blobId) > 0 && blobId === used.blobId;
    expect(await store.sweep(new Date(0), isUsed)).toBe(0);
    expect(asked).toEqual([]);
    expect(await store.sweep(later(), isUsed)).toBe(1);
    expect(await store.sweep(later(), isUsed)).toBe(0);
    expect(asked.sort()).toEqual([used.blobId, unused.blobId].sort());
    expect(await left()).toEqual({ files: 1, chunks: 1, uploads: 0 });
    expect((await read(used.blobId)).toString()).toBe("used");
  });

  test("does not ask about kept content until its release", async () => {
    const { blobId } = await store.put(from("x"), limits);
    await store.keep(blobId);
    await store.keep(blobId);
    expect(await store.sweep(later(), never)).toBe(0);
    await store.release(blobId);
    expect(await store.sweep(later(), never)).toBe(1);
    expect(await left()).toEqual(nothing);
  });

  test("keep fails when the content is gone", async () => {
    const { blobId } = await store.put(from("x"), limits);
    await store.sweep(later(), never);
    await expect(store.keep(blobId)).rejects.toMatchObject({ code: "unavailable" });
  });

  test("makes keep fail for a record stored while the sweep asks", async () => {
    const { blobId } = await store.put(from("x"), limits);
    let kept: Promise<unknown> = Promise.resolve();
    const isUsed = async () => {
      kept = store.keep(blobId);
      await kept.catch(() => {});
      return false;
    };
    expect(await store.sweep(later(), isUsed)).toBe(1);
    await expect(kept).rejects.toMatchObject({ code: "unavailable" });
  });

  test("respects a release while the sweep asks", async () => {
    const { blobId } = await store.put(from("x"), limits);
    const isUsed = async () => {
      await store.release(blobId);
      return true;
    };
    expect(await store.sweep(later(), isUsed)).toBe(0);
    expect(await store.sweep(later(), never)).toBe(1);
  });

  test("finishes an interrupted removal without asking", async () => {
    const { blobId } = await store.put(from("x"), limits);
    await store.keep(blobId);
    // The first write of a removal.
    const uploads = db.collection<{ _id: string; at: Date; deleted: boolean }>("things.uploads");
    await uploads.insertOne({ _id: blobId, at: new Date(), deleted: true });
    expect(await store.sweep(later(), async () => true)).toBe(1);
    expect(await left()).toEqual(nothing);
  });

  test("may run twice at once", async () => {
    const used = await store.put(from("used"), limits);
    for (let i = 0; i < 20; i++) await store.put(from("unused"), limits);
    const isUsed = async (blobId: string) => blobId === used.blobId;
    await Promise.all([store.sweep(later(), isUsed), store.sweep(later(), isUsed)]);
    await store.sweep(later(), isUsed);
    expect(await left()).toEqual({ files: 1, chunks: 1, uploads: 0 });
  });
});
