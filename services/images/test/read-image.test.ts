import { type NamedImage, writeTicket } from "@ci/access/image-ticket";
import { runAs } from "@ci/kit/rpc/caller";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { aDisk } from "@ci/testkit/a-disk";
import { testKeyring } from "@ci/testkit/accounts";
import { as, imagesSuite, MiB, refusal } from "./_suite.js";

const service = imagesSuite();
const content = aDisk({ sizeBytes: 2 * MiB + 1_000 });
let ada: User;
let id: number;
beforeAll(async () => {
  ada = await service.aUser();
  ({ id } = await service.upload(ada, "disk", content));
});

/** Reads as a runner with a ticket for Ada's `disk`, or for another image. */
const readNamed = (imageId: number, named: Partial<NamedImage> = {}) => {
  const image = { name: "disk", userId: ada.id, namespaceOnly: false, ...named };
  return service.read(undefined, imageId, { ticket: writeTicket(testKeyring, image, new Date(Date.now() + 60_000)) });
};

describe("succeeds", () => {
  test.each([
    ["the whole content", undefined, undefined],
    ["its first byte", 0, 0],
    ["its last byte", content.length - 1, content.length - 1],
    ["a range without an end", MiB + 17, undefined],
    ["a range without a start", undefined, 99],
    ["a range across stored chunks", MiB - 1, MiB],
    ["a range in the middle", 1_000, 2 * MiB + 10],
    ["a range beyond the end", content.length - 5, content.length + 5],
  ])("returns %s", async (_what, start, end) => {
    const expected = content.subarray(start ?? 0, end === undefined ? undefined : end + 1);
    expect((await service.read(ada, id, { start, end })).equals(expected)).toBe(true);
  });

  test("returns the image that a ticket names to a runner", async () => {
    const { id: imageId, namespaceId } = await service.upload(ada, "disk", aDisk(), "tree");
    expect((await readNamed(id)).equals(content)).toBe(true);
    expect((await readNamed(id, { namespaceId })).equals(content)).toBe(true);
    expect((await readNamed(imageId, { namespaceId })).equals(aDisk())).toBe(true);
    expect((await readNamed(imageId, { namespaceId, namespaceOnly: true, userId: 0 })).equals(aDisk())).toBe(true);
    const child = await service.aNamespace(ada, "tree/child");
    const inherited = { namespaceId: child.id, ancestorIds: child.ancestorIds };
    expect((await readNamed(imageId, inherited)).equals(aDisk())).toBe(true);
  });

  test("returns a namespace's image to users who may view the namespace", async () => {
    const { id: imageId, namespaceId } = await service.upload(ada, "seen", aDisk(), "open");
    const bob = await service.aUser();
    expect(await refusal(service.read(bob, imageId))).toBe("not_found");
    const open = { id: namespaceId!, visibility: "internal" };
    await runAs(as(ada), () => service.accounts.namespaces.updateNamespace(open));
    expect((await service.read(bob, imageId)).equals(aDisk())).toBe(true);
  });
});

test("refuses a runner without a ticket", async () => {
  for (const ticket of [undefined, "", "a:AAAA"])
    expect(await refusal(service.read(undefined, id, { ticket }))).toBe("forbidden");
});

describe("not_found", () => {
  test("a runner's ticket opens no other image", async () => {
    const { id: imageId, namespaceId } = await service.upload(ada, "disk", aDisk(), "hidden");
    const another = await service.upload(ada, "other", aDisk());
    for (const refused of [
      readNamed(imageId),
      readNamed(imageId, { namespaceId: namespaceId! + 1 }),
      readNamed(imageId, { namespaceId, name: "other" }),
      readNamed(imageId, { ancestorIds: [namespaceId!] }),
      readNamed(another.id),
      readNamed(id, { namespaceId, namespaceOnly: true }),
      readNamed(id, { userId: (await service.aUser()).id }),
    ])
      expect(await refusal(refused)).toBe("not_found");
  });

  test("hides missing images and those of other users", async () => {
    const other = await service.aUser();
    const reads = [service.read(ada, 999_999), readNamed(999_999), service.read(other, id)];
    expect(await Promise.all(reads.map(refusal))).toEqual(["not_found", "not_found", "not_found"]);
  });

  test("a download without content has nothing to read", async () => {
    const image = await service.download(ada, "http://127.0.0.1:1/disk", "none");
    const reads = [service.read(ada, image.id), readNamed(image.id, { name: "none" })];
    expect(await Promise.all(reads.map(refusal))).toEqual(["not_found", "not_found"]);
  });
});
