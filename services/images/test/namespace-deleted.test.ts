import { runAs } from "@ci/kit/rpc/caller";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { aDisk } from "@ci/testkit/a-disk";
import { eventually } from "@ci/testkit/eventually";
import { as, imagesSuite, refusal } from "./_suite.js";

const service = imagesSuite();
let ada: User;
let bob: User;
beforeEach(async () => {
  [ada, bob] = await Promise.all([service.aUser(), service.aUser()]);
});

const released = (user: User, id: number) =>
  eventually(async () => {
    const image = await service.get(user, id);
    expect(image.namespaceId).toBeUndefined();
    return image;
  });

test("the images of a deleted tree move to its owner", async () => {
  const root = await service.aNamespace(ada, "tree");
  await service.joins(bob, ada, root.id);
  const above = await service.upload(ada, "above", aDisk(), "tree");
  const below = await service.upload(bob, "below", aDisk(), `tree/child@${ada.username}`);
  await service.deletes(ada, root.id);
  for (const image of [above, below]) {
    expect(await released(ada, image.id)).toEqual({ ...image, namespaceId: undefined });
    expect(await refusal(service.get(bob, image.id))).toBe("not_found");
  }
  expect((await service.read(ada, above.id)).equals(aDisk())).toBe(true);
});

test("an image whose name is taken gets its id appended", async () => {
  const own = await service.upload(ada, "disk", aDisk());
  const one = await service.upload(ada, "disk", aDisk(), "one");
  await service.upload(ada, `disk-${one.id}`, aDisk());
  const two = await service.upload(ada, "disk", aDisk(), "two");
  for (const { namespaceId } of [one, two]) await service.deletes(ada, namespaceId!);
  expect((await released(ada, one.id)).name).toBe(`disk-${one.id}-${one.id}`);
  expect((await released(ada, two.id)).name).toBe(`disk-${two.id}`);
  expect((await service.get(ada, own.id)).name).toBe("disk");
  const list = async (search: string) =>
    (await runAs(as(ada), () => service.client.listImages({ search, page: undefined }))).images.map(({ id }) => id);
  expect(await list("")).toHaveLength(4);
  expect(await list(`DISK-${one.id}-${one.id}`)).toEqual([one.id]);
});

test("publishes no event", async () => {
  const image = await service.upload(ada, "disk", aDisk(), "tree");
  await service.deletes(ada, image.namespaceId!);
  await released(ada, image.id);
  await service.remove(ada, image.id);
  const [, deleted] = await service.told(image.id, 2);
  expect(deleted).toMatchObject({ namespaceId: undefined, body: { value: { action: "deleted" } } });
});

test("a failed permission check releases the images of a deleted namespace at once", async () => {
  // A second service that receives no events, as if they were late.
  const image = await service.upload(ada, "disk", aDisk(), "tree");
  const deaf = await service.another();
  await using _closing = deaf;
  const there = await deaf.upload(ada, "disk", aDisk(), "tree");
  await service.deletes(ada, image.namespaceId!);
  expect(await deaf.get(ada, there.id)).toMatchObject({ namespaceId: undefined });
});
