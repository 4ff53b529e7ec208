import { createHash, randomBytes } from "node:crypto";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { eventually } from "@ci/testkit/eventually";
import { aStore, emptyStore, from, limits, MiB, silentSource } from "./a-store.js";

const { db, store, documentCounts, read } = aStore();

describe("put", () => {
  test("stores content and returns its id, size, hash and beginning", async () => {
    const text = "a".repeat(2_000);
    const md5 = createHash("md5");
    const result = await store.put(from(text.slice(0, 7), "", text.slice(7)), limits, md5);
    expect(md5.digest("hex")).toBe(createHash("md5").update(text).digest("hex"));
    expect(result).toEqual({
      blobId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      sizeBytes: 2_000,
      sha256: createHash("sha256").update(text).digest("hex"),
      head: Buffer.from("a".repeat(1_445)),
    });
    expect((await read(result.blobId)).toString()).toBe(text);
  });

  test("accepts an empty stream", async () => {
    const { blobId, sizeBytes, head, sha256 } = await store.put(from(), limits);
    expect({ sizeBytes, head, sha256 }).toEqual({
      sizeBytes: 0,
      head: Buffer.alloc(0),
      sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    });
    expect(await read(blobId)).toEqual(Buffer.alloc(0));
  });

  test.each([MiB - 1, MiB, MiB + 1, 2 * MiB])("stores %d bytes in parts of any size", async (sizeBytes) => {
    const bytes = randomBytes(sizeBytes);
    for (const partBytes of [sizeBytes, 99_991]) {
      const parts = Array.from({ length: Math.ceil(sizeBytes / partBytes) }, (_, i) =>
        bytes.subarray(i * partBytes, (i + 1) * partBytes),
      );
      const { blobId } = await store.put(from(...parts), limits);
      expect((await read(blobId)).equals(bytes)).toBe(true);
    }
  });

  test("streams 40 MB in and out without holding them in memory", async () => {
    const part = randomBytes(65_536);
    const sha256 = createHash("sha256");
    // Garbage is collected before each measurement, so that only referenced memory counts.
    setFlagsFromString("--expose-gc");
    const gc = runInNewContext("gc") as () => void;
    const referencedBytes = () => {
      gc();
      return process.memoryUsage().arrayBuffers;
    };
    let highest = 0;
    async function* source() {
      for (let i = 0; i < 640; i++) {
        part.writeUInt32BE(i);
        sha256.update(part);
        if (i % 40 === 0) highest = Math.max(highest, referencedBytes());
        yield Buffer.from(part);
      }
    }
    const before = referencedBytes();
    const result = await store.put(source(), limits);
    const digest = sha256.digest("hex");
    expect(result).toMatchObject({ sizeBytes: 640 * 65_536, sha256: digest });
    const outputHash = createHash("sha256");
    let pieces = 0;
    for await (const bytes of store.get(result.blobId)) {
      outputHash.update(bytes);
      if (pieces++ % 8 === 0) highest = Math.max(highest, referencedBytes());
    }
    expect(outputHash.digest("hex")).toBe(digest);
    expect(highest - before).toBeLessThan(16 * MiB);
  });

  test("reads no faster than it stores", async () => {
    let sentParts = 0;
    let storedChunks = 0;
    async function* source() {
      for (; sentParts < 8; sentParts++) {
        storedChunks = await db.collection("things.chunks").countDocuments();
        expect(storedChunks).toBeGreaterThanOrEqual(sentParts - 1);
        yield Buffer.alloc(MiB);
      }
    }
    await store.put(source(), limits);
    expect(sentParts).toBe(8);
  });

  test("accepts content of exactly the limit and rejects more", async () => {
    await expect(store.put(from("12345"), { ...limits, maxBytes: 5 })).resolves.toMatchObject({ sizeBytes: 5 });
    const countsBefore = await documentCounts();
    await expect(store.put(from("12345", "6"), { ...limits, maxBytes: 5 })).rejects.toThrow("Too large");
    await expect(store.put(from(Buffer.alloc(3 * MiB)), { ...limits, maxBytes: 2 * MiB })).rejects.toThrow("Too large");
    expect(await documentCounts()).toEqual(countsBefore);
  });

  test("stops reading a source that is too large", async () => {
    let ended = false;
    async function* endless() {
      try {
        for (;;) yield Buffer.alloc(MiB);
      } finally {
        ended = true;
      }
    }
    await expect(store.put(endless(), { ...limits, maxBytes: 3 * MiB })).rejects.toThrow("Too large");
    await eventually(() => expect(ended).toBe(true));
    expect(await documentCounts()).toEqual(emptyStore);
  });

  test("leaves nothing behind when the source fails", async () => {
    async function* broken() {
      yield Buffer.alloc(3 * MiB);
      throw new Error("cable cut");
    }
    await expect(store.put(broken(), limits)).rejects.toThrow("cable cut");
    expect(await documentCounts()).toEqual(emptyStore);
  });

  test("rejects an upload if one of its chunks was lost", async () => {
    const chunks = db.collection("things.chunks");
    async function* source() {
      yield Buffer.alloc(2 * MiB);
      // As if a replica set member without this chunk became primary.
      await eventually(async () => expect((await chunks.deleteOne({})).deletedCount).toBe(1));
      yield Buffer.alloc(2 * MiB);
    }
    await expect(store.put(source(), limits)).rejects.toMatchObject({ code: "unavailable" });
    expect(await documentCounts()).toEqual(emptyStore);
  });

  test("leaves nothing behind when aborted while the source is silent", async () => {
    const stop = new AbortController();
    const { source, silent } = silentSource();
    const put = store.put(source(), { ...limits, signal: stop.signal });
    const outcome = expect(put).rejects.toThrow("shutting down");
    await silent;
    stop.abort(new Error("shutting down"));
    await outcome;
    expect(await documentCounts()).toEqual(emptyStore);
  });

  test("stores nothing if it was aborted before it began", async () => {
    const signal = AbortSignal.abort(new Error("shutting down"));
    await expect(store.put(from("x"), { ...limits, signal })).rejects.toThrow("shutting down");
    expect(await documentCounts()).toEqual(emptyStore);
  });
});

describe("get", () => {
  test("returns exactly the requested range", async () => {
    const bytes = randomBytes(3 * MiB + 10);
    const { blobId } = await store.put(from(bytes), limits);
    const edges = [0, 1, MiB - 1, MiB, MiB + 1, 2 * MiB, 3 * MiB + 9, 3 * MiB + 10, 4 * MiB];
    for (const start of edges)
      for (const end of [...edges, undefined])
        expect((await read(blobId, { start, end })).equals(bytes.subarray(start, end))).toBe(true);
  });

  test("reads only the chunks that a range needs", async () => {
    const { blobId } = await store.put(from(Buffer.alloc(4 * MiB, "x")), limits);
    await db.collection("things.chunks").deleteMany({ files_id: blobId, n: { $ne: 2 } });
    expect(await read(blobId, { start: 2 * MiB, end: 3 * MiB })).toHaveLength(MiB);
  });

  test("yields at most 64 KiB at a time, because several pieces wait for a slow reader", async () => {
    const { blobId } = await store.put(from(Buffer.alloc(2 * MiB + 1)), limits);
    const lengths: number[] = [];
    for await (const { length } of store.get(blobId)) lengths.push(length);
    expect(Math.max(...lengths)).toBe(64 * 1024);
    expect(lengths.reduce((sum, length) => sum + length)).toBe(2 * MiB + 1);
  });

  test("can be stopped halfway and repeated", async () => {
    const { blobId } = await store.put(from(Buffer.alloc(9 * MiB)), limits);
    for await (const part of store.get(blobId)) {
      expect(part.length).toBeLessThan(MiB);
      break;
    }
    expect(await read(blobId)).toHaveLength(9 * MiB);
  });

  test("fails with not_found for an unknown id", async () => {
    await expect(read("missing")).rejects.toMatchObject({ code: "not_found" });
  });

  test.each([0, 1, 2])("returns the content before a lost chunk %d, then fails", async (n) => {
    const { blobId } = await store.put(from(...["a", "b", "c"].map((letter) => Buffer.alloc(MiB, letter))), limits);
    await db.collection("things.chunks").deleteOne({ files_id: blobId, n });
    let letters = "";
    const reading = async () => {
      for await (const bytes of store.get(blobId)) letters += bytes.toString("latin1", 0, 1);
    };
    await expect(reading()).rejects.toMatchObject({ code: "internal" });
    expect([...new Set(letters)].join("")).toBe("abc".slice(0, n));
  });
});

describe("delete", () => {
  test("removes the content and does nothing if it does not exist", async () => {
    const { blobId } = await store.put(from(Buffer.alloc(3 * MiB)), limits);
    await store.keep(blobId);
    await store.delete(blobId);
    await store.delete(blobId);
    expect(await documentCounts()).toEqual(emptyStore);
  });
});
