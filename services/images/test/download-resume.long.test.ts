import type { User } from "@ci/proto/namespaces/v1/accounts";
import { aDisk } from "@ci/testkit/a-disk";
import { eventually } from "@ci/testkit/eventually";
import type { ImageDoc } from "../src/domain/image.js";
import { aBreakingServer, type Behaviour } from "./_breaking-server.js";
import { anSftpServer } from "./_sftp-server.js";
import { imagesSuite, MiB } from "./_suite.js";

const content = aDisk({ sizeBytes: 4 * MiB + 12_345 });
const other = aDisk({ sizeBytes: 4 * MiB });
const tag = '"one"';
const broken: Behaviour = { content, etag: tag, breaksAfter: 2 * MiB + 500_000 };

const service = imagesSuite({ imageBytes: 8 * MiB });
let ada: User;
beforeEach(async () => {
  ada = await service.aUser();
});

/** Downloads an image and checks that exactly this content is stored. */
async function downloadAndCheck(url: string, expected: Buffer) {
  const before = await service.storedCounts();
  const image = await service.finished(ada, await service.download(ada, url));
  expect(image).toMatchObject({ size: expected.length, download: { error: undefined, received: expected.length } });
  expect((await service.read(ada, image.id)).equals(expected)).toBe(true);
  const chunks = before.chunks! + Math.ceil(expected.length / MiB);
  const left = { images: before.images! + 1, files: before.files! + 1, chunks, uploads: before.uploads };
  await eventually(async () => expect(await service.storedCounts()).toEqual(left));
  return image;
}

describe("the second attempt", () => {
  test("requests the rest", async () => {
    await using server = await aBreakingServer(broken, { content, etag: tag });
    const image = await downloadAndCheck(server.url, content);
    expect(server.ranges()).toEqual([
      [undefined, undefined],
      [`bytes=${MiB}-`, tag],
    ]);
    expect(image.download).toMatchObject({ total: content.length });
  });

  test("requests the rest even if the server keeps no connection alive", async () => {
    const headers = { Connection: "close" };
    await using server = await aBreakingServer({ ...broken, headers }, { content, etag: tag, headers });
    await downloadAndCheck(server.url, content);
    expect(server.ranges()[1]).toEqual([`bytes=${MiB}-`, tag]);
  });

  test("validates by date if there is no entity tag", async () => {
    const modified = new Date(Date.now() - 10_000).toUTCString();
    const headers = { "Last-Modified": modified };
    await using server = await aBreakingServer({ ...broken, etag: undefined, headers }, { content, headers });
    await downloadAndCheck(server.url, content);
    expect(server.ranges()[1]).toEqual([`bytes=${MiB}-`, modified]);
  });

  test("a third attempt requests what the second did not receive", async () => {
    await using server = await aBreakingServer(broken, broken, { content, etag: tag });
    await downloadAndCheck(server.url, content);
    expect(server.ranges().map(([range]) => range)).toEqual([undefined, `bytes=${MiB}-`, `bytes=${2 * MiB}-`]);
  });

  test.each<[string, Behaviour[], Buffer, number]>([
    ["the tag has changed", [{ content: other, etag: '"two"' }], other, 2],
    ["the server ignores the range", [{ content, etag: tag, ranges: false }], content, 2],
    ["the server sends another part", [{ content, etag: tag, contentRange: "bytes 0-9/10" }, { content }], content, 3],
    [
      "the server sends a part of other content",
      [{ content, etag: tag, headers: { ETag: '"two"' } }, { content }],
      content,
      3,
    ],
  ])("starts over when %s", async (_what, behaviours, expected, requests) => {
    await using server = await aBreakingServer(broken, ...behaviours);
    await downloadAndCheck(server.url, expected);
    expect(server.ranges()[1]).toEqual([`bytes=${MiB}-`, tag]);
    expect(server.ranges()).toHaveLength(requests);
  });

  test.each<[string, Behaviour]>([
    ["the tag is weak", { ...broken, etag: 'W/"one"' }],
    ["there is neither tag nor date", { ...broken, etag: undefined }],
    ["the server supports no ranges", { ...broken, headers: { "Accept-Ranges": "none" } }],
    ["less than two MiB have arrived", { ...broken, breaksAfter: MiB + 1 }],
  ])("requests everything when %s", async (_what, behaviour) => {
    await using server = await aBreakingServer(behaviour, { content });
    await downloadAndCheck(server.url, content);
    expect(server.ranges()[1]).toEqual([undefined, undefined]);
  });

  test("rejects resumed content that is no image and removes it", async () => {
    const before = await service.storedCounts();
    const short = aDisk({ sizeBytes: 4 * MiB });
    short.writeUInt16BE(1, 1024 + 2 * 250);
    short.writeBigUInt64BE(1n << 40n, 40);
    await using server = await aBreakingServer({ ...broken, content: short }, { content: short, etag: tag });
    const image = await service.finished(ada, await service.download(ada, server.url));
    expect(image.download?.error).toBe("File cannot be read as QCOW2: its L1 table lies beyond its end");
    expect(server.ranges()[1]).toEqual([`bytes=${MiB}-`, tag]);
    await eventually(async () =>
      expect(await service.storedCounts()).toEqual({ ...before, images: before.images! + 1 }),
    );
  });

  test("fails for good after the last attempt and removes the content", async () => {
    await using hasty = await service.bootAnother({ downloadAttempts: 2 });
    const before = await hasty.storedCounts();
    await using server = await aBreakingServer(broken);
    const image = await hasty.finished(ada, await hasty.download(ada, server.url));
    expect(image.download).toMatchObject({ error: "connection reset", total: content.length });
    expect(image.download!.received).toBeGreaterThan(2 * MiB);
    await eventually(async () => expect(await hasty.storedCounts()).toEqual({ ...before, images: before.images! + 1 }));
  });
});

test.each([false, true])("resumes over SFTP unless the file has changed (changed: %s)", async (changes) => {
  const large = aDisk({ sizeBytes: 8 * MiB });
  await using server = await anSftpServer({ files: { "/disk": large }, readsBeforeHangUp: 200, changes });
  await downloadAndCheck(server.url("/disk"), large);
  expect(server.readFrom).toEqual([0, changes ? 0 : expect.any(Number)]);
  if (!changes) expect(server.readFrom[1]).toBeGreaterThanOrEqual(MiB);
});

test("reports progress during the download without an event", async () => {
  await using server = await aBreakingServer({ content, etag: tag, silentAfter: 3 * MiB });
  const image = await service.download(ada, server.url);
  await eventually(async () => {
    const { download } = await service.get(ada, image.id);
    expect(download).toMatchObject({ received: 3 * MiB, total: content.length, finishedAt: undefined });
  });
  expect(await service.eventsOf(image.id, 1)).toMatchObject([{ body: { value: { action: "created" } } }]);
  await service.remove(ada, image.id);
});

test("deleting an image between two attempts removes the partial content", async () => {
  await using patient = await service.bootAnother({ downloadPauseMs: 3_600_000 });
  const before = await patient.storedCounts();
  await using server = await aBreakingServer(broken);
  const image = await patient.download(ada, server.url);
  const doc = () => patient.db.collection<ImageDoc>("images").findOne({ _id: image.id });
  await eventually(async () =>
    expect((await doc())?.fetch).toMatchObject({ failures: 1, partial: { validator: tag } }),
  );
  expect((await patient.storedCounts()).chunks).toBe(before.chunks! + 2);
  await patient.remove(ada, image.id);
  await eventually(async () => expect(await patient.storedCounts()).toEqual(before));
});

test("the next service resumes a stopped service's content without counting an attempt", async () => {
  await using server = await aBreakingServer({ content, etag: tag, silentAfter: 3 * MiB + 1 }, { content, etag: tag });
  const settings = { downloadAttempts: 1 };
  const first = await service.bootAnother(settings);
  const before = await first.storedCounts();
  const image = await first.download(ada, server.url, "continued");
  await eventually(async () => expect((await first.storedCounts()).chunks).toBe(before.chunks! + 3));
  await first[Symbol.asyncDispose]();
  await using second = await service.bootAnother(settings);
  expect(await second.finished(ada, image)).toMatchObject({ size: content.length, download: { error: undefined } });
  expect(server.ranges()[1]).toEqual([`bytes=${2 * MiB}-`, tag]);
  expect((await second.read(ada, image.id)).equals(content)).toBe(true);
});

test("an attempt that lost its lease neither disturbs its successor nor leaves content", async () => {
  const before = await service.storedCounts();
  await using server = await aBreakingServer({ content, etag: tag, silentAfter: 3 * MiB + 1 }, { content, etag: tag });
  const { id } = await service.download(ada, server.url);
  const images = service.db.collection<ImageDoc>("images");
  await eventually(async () => expect((await service.storedCounts()).chunks).toBe(before.chunks! + 3));
  const { token } = (await images.findOne({ _id: id }))!.fetch!;
  // Repeated until the service's other loop has claimed the download, because the first loop keeps renewing its lease.
  await eventually(async () => {
    await images.updateOne({ _id: id, "fetch.token": token }, { $set: { "fetch.dueAt": new Date(0) } });
    expect(server.ranges()).toHaveLength(2);
  });
  const image = await service.finished(ada, await service.get(ada, id));
  expect(server.ranges()[1]).toEqual([`bytes=${2 * MiB}-`, tag]);
  expect(image).toMatchObject({ size: content.length, download: { error: undefined } });
  await eventually(() => expect(server.connections()).toBe(0));
  expect((await service.read(ada, id)).equals(content)).toBe(true);
  const left = {
    images: before.images! + 1,
    files: before.files! + 1,
    chunks: before.chunks! + 5,
    uploads: before.uploads,
  };
  await eventually(async () => expect(await service.storedCounts()).toEqual(left));
});
