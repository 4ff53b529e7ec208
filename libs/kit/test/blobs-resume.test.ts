import { createHash, randomBytes } from "node:crypto";
import type { Begun } from "../src/bytes/blobs.js";
import { aStore, from, later, limits, MiB, never, nothing } from "./a-store.js";

const { db, store, left, read } = aStore();
const content = randomBytes(4 * MiB + 12_345);
const sha256 = createHash("sha256").update(content).digest("hex");

/** Content that breaks off after this many bytes. */
async function* broken(bytes: number, at = 0) {
  for (; at < bytes; at += 300_000) yield content.subarray(at, Math.min(at + 300_000, bytes));
  throw new Error("cable cut");
}

/** Starts an upload that breaks off after this many bytes. */
async function brokenOff(bytes: number): Promise<Begun> {
  const begun = await store.begin();
  await expect(store.append(begun, broken(bytes), limits)).rejects.toThrow("cable cut");
  return begun;
}

const rest = (begun: Begun) => store.append(begun, from(content.subarray(begun.sizeBytes)), limits);

test.each([
  [0, 0],
  [MiB, 0],
  [MiB + 1, 0],
  [2 * MiB + 7, MiB],
  [4 * MiB + 1_000, 3 * MiB],
])("resumes an upload that broke off after %d bytes at byte %d", async (bytes, there) => {
  const { blobId } = await brokenOff(bytes);
  const begun = (await store.resume(blobId))!;
  expect(begun.sizeBytes).toBe(there);
  expect(await rest(begun)).toEqual({
    blobId,
    sizeBytes: content.length,
    sha256,
    head: content.subarray(0, 1445),
  });
  expect((await read(blobId)).equals(content)).toBe(true);
  await store.keep(blobId);
  expect(await left()).toEqual({ files: 1, chunks: 5, uploads: 0 });
});

test("an upload may be resumed several times", async () => {
  let { blobId } = await brokenOff(MiB + 1);
  for (const bytes of [2 * MiB + 1, 3 * MiB + 1]) {
    const begun = (await store.resume(blobId))!;
    await expect(store.append(begun, broken(bytes, begun.sizeBytes), limits)).rejects.toThrow("cable cut");
    ({ blobId } = begun);
  }
  expect(await rest((await store.resume(blobId))!)).toMatchObject({ sha256 });
});

test("an upload that was stored completely but not reported is completed", async () => {
  const begun = await store.begin();
  await rest(begun);
  expect(await rest((await store.resume(begun.blobId))!)).toMatchObject({ sha256 });
  expect((await read(begun.blobId)).equals(content)).toBe(true);
});

test("chunks behind a gap are uploaded again", async () => {
  const { blobId } = await brokenOff(4 * MiB);
  await db.collection("things.chunks").deleteOne({ files_id: blobId, n: 2 });
  const begun = (await store.resume(blobId))!;
  expect(begun.sizeBytes).toBe(MiB);
  expect(await rest(begun)).toMatchObject({ sha256 });
});

test("the size limit covers all sittings together", async () => {
  const { blobId } = await brokenOff(3 * MiB);
  const begun = (await store.resume(blobId))!;
  const bytes = from(content.subarray(begun.sizeBytes));
  await expect(store.append(begun, bytes, { ...limits, maxBytes: content.length - 1 })).rejects.toThrow("Too large");
});

test("a writer believed dead corrupts nothing: the content matches the returned hash", async () => {
  const slow = await store.begin();
  let goOn = () => {};
  const mayGoOn = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let reached = () => {};
  const half = new Promise<void>((resolve) => {
    reached = resolve;
  });
  async function* source() {
    yield content.subarray(0, 2 * MiB + 5);
    reached();
    await mayGoOn;
    // Other content, as if the server sent each writer something else.
    yield Buffer.alloc(content.length - 2 * MiB - 5, "x");
  }
  const dead = store.append(slow, source(), limits).catch((error: Error) => error);
  await half;
  const begun = (await store.resume(slow.blobId))!;
  goOn();
  // A part of what it stored was removed.
  expect(await dead).toMatchObject({ code: "unavailable" });
  await expect(rest(begun)).rejects.toThrow("duplicate key");
  const again = (await store.resume(slow.blobId))!;
  const stored = await rest(again);
  const found = await read(slow.blobId);
  expect(createHash("sha256").update(found).digest("hex")).toBe(stored.sha256);
});

test("a sweep spares resumed uploads, and removes abandoned ones", async () => {
  const { blobId } = await brokenOff(2 * MiB);
  const uploads = db.collection<{ _id: string; at: Date }>("things.uploads");
  await uploads.updateOne({ _id: blobId }, { $set: { at: new Date(0) } });
  const begun = (await store.resume(blobId))!;
  expect(await store.sweep(new Date(1_000), never)).toBe(0);
  expect(begun.sizeBytes).toBe(MiB);
  expect(await store.sweep(later(), never)).toBe(1);
  expect(await left()).toEqual(nothing);
  expect(await store.resume(blobId)).toBeUndefined();
  expect(await store.resume("never begun")).toBeUndefined();
});
