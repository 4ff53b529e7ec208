import { blobs } from "@ci/kit/bytes/blobs";
import { invalid } from "@ci/kit/rpc/fault";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { aDisk } from "@ci/testkit/a-disk";
import { eventually } from "@ci/testkit/eventually";
import type { Context } from "../src/context.js";
import type { ImageDoc } from "../src/domain/image.js";
import { sweepBlobs } from "../src/loops/sweep-blobs.js";
import { imageStore } from "../src/store/images.js";
import { imagesSuite, testLimits } from "./_suite.js";

const service = imagesSuite();
const dayMs = 24 * 60 * 60_000;
let ada: User;
let ctx: Pick<Context, "contents" | "images" | "now">;
beforeAll(async () => {
  ada = await service.aUser();
  ctx = {
    contents: blobs(service.db, "contents"),
    images: imageStore(service.db, () => {}, testLimits),
    now: () => new Date(Date.now() + 2 * dayMs),
  };
});

test("removes content without an image after a day, and nothing else", async () => {
  const image = await service.upload(ada, "disk", aDisk());
  const before = await service.storedCounts();
  async function* bytes() {
    yield aDisk();
  }
  const put = () => ctx.contents.put(bytes(), { maxBytes: 10_000, tooLarge: () => invalid({}) });
  // One upload was interrupted, the other stored its image just before a crash.
  const lost = await put();
  const found = await put();
  await service.db.collection<ImageDoc>("images").updateOne({ _id: image.id }, { $set: { blobId: found.blobId } });
  expect(await sweepBlobs({ ...ctx, now: () => new Date() })).toBe(0);
  expect(await sweepBlobs(ctx)).toBe(1);
  expect(await service.storedCounts()).toEqual({ ...before, files: before.files! + 1, chunks: before.chunks! + 1 });
  await expect(ctx.contents.get(lost.blobId).next()).rejects.toMatchObject({ code: "not_found" });
  expect((await service.read(ada, image.id)).equals(aDisk())).toBe(true);
});

test("removes content that an interrupted deletion left", async () => {
  const image = await service.upload(ada, "left", aDisk());
  const images = service.db.collection<ImageDoc>("images");
  const { blobId } = (await images.findOne({ _id: image.id }))!;
  // As after a crash between deleting the record and deleting its content.
  await ctx.contents.release(blobId!);
  await images.deleteOne({ _id: image.id });
  expect(await sweepBlobs(ctx)).toBe(1);
  await eventually(() => expect(ctx.contents.get(blobId!).next()).rejects.toMatchObject({ code: "not_found" }));
});
