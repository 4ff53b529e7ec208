import { blobs } from "@ci/kit/bytes/blobs";
import { runAs } from "@ci/kit/rpc/caller";
import { invalid } from "@ci/kit/rpc/fault";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { accountQuotas } from "@ci/testkit/quotas";
import { suite } from "@ci/testkit/suite";
import { uploadMessages } from "@ci/testkit/uploads";
import { sweepBlobs } from "../src/loops/sweep-blobs.js";
import { objectStore } from "../src/store/objects.js";
import { bootResources, refusal } from "./_resources.js";
import { as } from "./_suite.js";

const own = suite();
const hourMs = 60 * 60_000;
let service: Awaited<ReturnType<typeof bootResources>>;
let ada: User;

beforeAll(async () => {
  service = await bootResources(own);
  ada = await service.aUser();
});
afterAll(() => service.close());

const parts = () => ({
  objects: objectStore(service.db, () => {}, accountQuotas),
  objectBlobs: blobs(service.db, "objects"),
});
const sweepIn = (ms: number) => sweepBlobs({ ...parts(), now: () => new Date(Date.now() + ms) });
const files = () => service.db.collection("objects.files").estimatedDocumentCount();
const put = async (name: string) =>
  (await runAs(as(ada.id), () => service.objects.uploadObject(uploadMessages(name, "text")))).object!;
const readable = async (id: number) => {
  for await (const { chunk } of runAs(as(ada.id), () => service.objects.readObject({ id }))) return `${chunk}`;
};

/** Brings about the state after a crash between storing content and its record. */
const interrupted = () =>
  parts().objectBlobs.put(
    (async function* () {
      yield Buffer.from("lost");
    })(),
    { maxBytes: 10, tooLarge: () => invalid({}) },
  );

test("removes the content of an interrupted upload after a day", async () => {
  const { id } = await put("kept");
  const before = await files();
  await interrupted();
  expect(await sweepIn(23 * hourMs)).toBe(0);
  expect(await files()).toBe(before + 1);
  expect(await sweepIn(25 * hourMs)).toBe(1);
  expect(await files()).toBe(before);
  expect(await readable(id)).toBe("text");
});

test("keeps content after a crash that followed storing or preceded deleting its record", async () => {
  const { id } = await put("released");
  const { blobId } = (await parts().objects.get(id))!;
  await parts().objectBlobs.release(blobId);
  expect(await sweepIn(25 * hourMs)).toBe(0);
  expect(await readable(id)).toBe("text");
});

test("removes content after a crash that followed deleting its record", async () => {
  const failingDelete = async () => {
    throw new Error("stopped here");
  };
  const stopping = await bootResources(own, {}, { objectBlobs: { ...parts().objectBlobs, delete: failingDelete } });
  try {
    const before = await files();
    const { id } = await put("half-deleted");
    await runAs(as(ada.id), () => stopping.objects.deleteObject({ id }));
    expect(await files()).toBe(before + 1);
    expect(await sweepIn(23 * hourMs)).toBe(0);
    expect(await sweepIn(25 * hourMs)).toBe(1);
    expect(await files()).toBe(before);
  } finally {
    await stopping.close();
  }
});

test("an upload whose content was swept before its record was stored leaves no record", async () => {
  const { objectBlobs } = parts();
  const tooLate = async (blobId: string) => {
    await objectBlobs.delete(blobId);
    await objectBlobs.keep(blobId);
  };
  const slow = await bootResources(own, {}, { objectBlobs: { ...objectBlobs, keep: tooLate } });
  try {
    const call = runAs(as(ada.id), () => slow.objects.uploadObject(uploadMessages("swept", "text")));
    expect(await refusal(call)).toBe("unavailable");
    const { objects } = await runAs(as(ada.id), () => slow.objects.listObjects({ search: "swept" }));
    expect(objects).toEqual([]);
    await put("swept");
  } finally {
    await slow.close();
  }
});
