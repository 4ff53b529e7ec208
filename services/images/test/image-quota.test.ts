import { runAs } from "@ci/kit/rpc/caller";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { aDisk } from "@ci/testkit/a-disk";
import { eventually } from "@ci/testkit/eventually";
import { limitOf, storageOf } from "@ci/testkit/quotas";
import { aServer, serving, type } from "./_server.js";
import { as, imagesSuite, refusal } from "./_suite.js";

const service = imagesSuite({
  imagesPerNamespace: limitOf("Images", "namespace", 3),
  imageStorage: storageOf("images", 1_000_000),
});
const disk = aDisk({ sizeBytes: 400_000 });
const full = (used: string) =>
  `File exceeds the storage quota of 977 KiB per user for images, ${used} are used: delete images to free space`;
let ada: User;
beforeEach(async () => {
  ada = await service.aUser();
});

test("an image beyond the quota leaves nothing behind, and a deletion frees its bytes", async () => {
  const first = await service.upload(ada, "first", disk);
  await service.upload(ada, "second", disk);
  const before = await service.storedCounts();
  expect(await refusal(service.upload(ada, "third", disk))).toEqual({ file: [full("781 KiB")] });
  expect(await service.storedCounts()).toEqual(before);
  await service.remove(ada, first.id);
  await service.upload(ada, "third", disk);
});

test("a download beyond the quota ends with the reason, and is not tried again", async () => {
  await service.upload(ada, "first", disk);
  await service.upload(ada, "second", disk);
  await using announced = await serving({ status: 200, headers: type, body: disk });
  const image = await service.finished(ada, await service.download(ada, `${announced.url}/disk`));
  expect([image.size, image.download?.error, announced.requests.length]).toEqual([undefined, full("781 KiB"), 1]);
  await service.upload(await service.aUser(), "first", disk);
});

test("an endless download is cut off as soon as it exceeds what is left", async () => {
  await service.upload(ada, "first", disk);
  await using endless = await aServer((_, response) => {
    response.writeHead(200, type);
    response.write(disk);
    const more = () => response.write(Buffer.alloc(64 * 1024)) && setImmediate(more);
    response.on("drain", more);
    more();
  });
  const image = await service.finished(ada, await service.download(ada, endless.url));
  expect(image.download?.error).toBe(full("391 KiB"));
});

test("downloads that run at the same time stay within the quota", async () => {
  await service.upload(ada, "first", disk);
  let release = () => {};
  const bothAsked = new Promise<void>((resolve) => {
    release = resolve;
  });
  let asked = 0;
  await using server = await aServer(async (_, response) => {
    response.writeHead(200, type);
    response.write(disk.subarray(0, 200_000));
    if (++asked === 2) release();
    await bothAsked;
    response.end(disk.subarray(200_000));
  });
  const images = await Promise.all(["a", "b"].map((name) => service.download(ada, server.url, name)));
  const ended = await Promise.all(images.map((image) => service.finished(ada, image)));
  expect(ended.filter(({ size }) => size === disk.length)).toHaveLength(1);
  expect(ended.flatMap(({ download }) => download?.error ?? [])).toEqual([full("781 KiB")]);
  const contents = () => service.db.collection("contents.files").estimatedDocumentCount();
  const stored = () => service.db.collection("images").countDocuments({ blobId: { $exists: true } }, { hint: "_id_" });
  await eventually(async () => expect(await contents()).toBe(await stored()));
});

test("a namespace has only so many images, whatever creates them", async () => {
  const small = aDisk({ sizeBytes: 70_000 });
  const results = await Promise.allSettled(
    Array.from({ length: 8 }, (_, nth) => service.upload(ada, `i${nth}`, small, "n")),
  );
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
  const complaint = { images: ["Images cannot exceed 3 per namespace; delete one first"] };
  for (const result of results)
    if (result.status === "rejected") expect(await refusal(Promise.reject(result.reason))).toEqual(complaint);
  expect(await refusal(service.download(ada, "https://example.com/disk", "more", "n"))).toEqual(complaint);
  await service.upload(ada, "other", small);
  const { images } = await runAs(as(ada), () => service.client.listImages({ search: "i", page: undefined }));
  await service.remove(ada, images[0]!.id);
  await service.upload(ada, "more", small, "n");
});
