import { createHash, randomBytes } from "node:crypto";
import type { UploadState } from "../src/bytes/blobs.js";
import { aStore, emptyStore, from, later, limits, MiB, neverUsed } from "./a-store.js";

const { db, store, documentCounts, read } = aStore();
const content = randomBytes(4 * MiB + 12_345);
const sha256 = createHash("sha256").update(content).digest("hex");

/** Yields the content from `offset` and fails before byte `bytes`. */
async function* failingContent(bytes: number, offset = 0) {
  for (; offset < bytes; offset += 300_000) yield content.subarray(offset, Math.min(offset + 300_000, bytes));
  throw new Error("cable cut");
}

/** Starts an upload that fails after this many bytes. */
async function interruptedUpload(bytes: number): Promise<UploadState> {
  const upload = await store.begin();
  await expect(store.append(upload, failingContent(bytes), limits)).rejects.toThrow("cable cut");
  return upload;
}

const appendRest = (upload: UploadState) => store.append(upload, from(content.subarray(upload.sizeBytes)), limits);

test.each([
  [0, 0],
  [MiB, 0],
  [MiB + 1, 0],
  [2 * MiB + 7, MiB],
  [4 * MiB + 1_000, 3 * MiB],
])("an upload that failed after %d bytes is resumed at byte %d", async (bytes, resumeOffset) => {
  const { blobId } = await interruptedUpload(bytes);
  const upload = (await store.resume(blobId))!;
  expect(upload.sizeBytes).toBe(resumeOffset);
  expect(await appendRest(upload)).toEqual({
    blobId,
    sizeBytes: content.length,
    sha256,
    head: content.subarray(0, 1445),
  });
  expect((await read(blobId)).equals(content)).toBe(true);
  await store.keep(blobId);
  expect(await documentCounts()).toEqual({ files: 1, chunks: 5, uploads: 0 });
});

test("an upload may be resumed several times", async () => {
  let { blobId } = await interruptedUpload(MiB + 1);
  for (const bytes of [2 * MiB + 1, 3 * MiB + 1]) {
    const upload = (await store.resume(blobId))!;
    await expect(store.append(upload, failingContent(bytes, upload.sizeBytes), limits)).rejects.toThrow("cable cut");
    ({ blobId } = upload);
  }
  expect(await appendRest((await store.resume(blobId))!)).toMatchObject({ sha256 });
});

test("an upload that was stored but not reported is completed", async () => {
  const upload = await store.begin();
  await appendRest(upload);
  expect(await appendRest((await store.resume(upload.blobId))!)).toMatchObject({ sha256 });
  expect((await read(upload.blobId)).equals(content)).toBe(true);
});

test("an upload with a missing chunk is resumed at that chunk", async () => {
  const { blobId } = await interruptedUpload(4 * MiB);
  await db.collection("things.chunks").deleteOne({ files_id: blobId, n: 2 });
  const upload = (await store.resume(blobId))!;
  expect(upload.sizeBytes).toBe(MiB);
  expect(await appendRest(upload)).toMatchObject({ sha256 });
});

test("the size limit holds for all attempts of an upload together", async () => {
  const { blobId } = await interruptedUpload(3 * MiB);
  const upload = (await store.resume(blobId))!;
  const bytes = from(content.subarray(upload.sizeBytes));
  await expect(store.append(upload, bytes, { ...limits, maxBytes: content.length - 1 })).rejects.toThrow("Too large");
});

test("a writer that continues after its upload was resumed fails; the stored content matches the returned hash", async () => {
  const slowUpload = await store.begin();
  let continueSlow = () => {};
  const slowMayContinue = new Promise<void>((resolve) => {
    continueSlow = resolve;
  });
  let reachHalf = () => {};
  const halfSent = new Promise<void>((resolve) => {
    reachHalf = resolve;
  });
  async function* source() {
    yield content.subarray(0, 2 * MiB + 5);
    reachHalf();
    await slowMayContinue;
    // Other content, as if the source had changed.
    yield Buffer.alloc(content.length - 2 * MiB - 5, "x");
  }
  const slowResult = store.append(slowUpload, source(), limits).catch((error: Error) => error);
  await halfSent;
  const upload = (await store.resume(slowUpload.blobId))!;
  continueSlow();
  // The resumption removed some of its chunks.
  expect(await slowResult).toMatchObject({ code: "unavailable" });
  await expect(appendRest(upload)).rejects.toThrow("duplicate key");
  const secondUpload = (await store.resume(slowUpload.blobId))!;
  const stored = await appendRest(secondUpload);
  const storedContent = await read(slowUpload.blobId);
  expect(createHash("sha256").update(storedContent).digest("hex")).toBe(stored.sha256);
});

test("a sweep keeps resumed uploads and removes abandoned ones", async () => {
  const { blobId } = await interruptedUpload(2 * MiB);
  const uploads = db.collection<{ _id: string; at: Date }>("things.uploads");
  await uploads.updateOne({ _id: blobId }, { $set: { at: new Date(0) } });
  const upload = (await store.resume(blobId))!;
  expect(await store.sweep(new Date(1_000), neverUsed)).toBe(0);
  expect(upload.sizeBytes).toBe(MiB);
  expect(await store.sweep(later(), neverUsed)).toBe(1);
  expect(await documentCounts()).toEqual(emptyStore);
  expect(await store.resume(blobId)).toBeUndefined();
  expect(await store.resume("never begun")).toBeUndefined();
});
