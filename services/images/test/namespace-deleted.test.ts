import { namespaceScope } from "@ci/access/record-scope";
import { runAs } from "@ci/kit/rpc/caller";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { aDisk } from "@ci/testkit/a-disk";
import { eventually } from "@ci/testkit/eventually";
import { imageStore } from "../src/store/images.js";
import { as, imagesSuite, refusal, testLimits } from "./_suite.js";

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

test("the images of a deleted namespace tree move to its owner", async () => {
  const root = await service.aNamespace(ada, "tree");
  await service.addCollaborator(bob, ada, root.id);
  const above = await service.upload(ada, "above", aDisk(), "tree");
  const below = await service.upload(bob, "below", aDisk(), `tree/child@${ada.username}`);
  await service.deleteNamespace(ada, root.id);
  for (const image of [above, below]) {
    expect(await released(ada, image.id)).toEqual({ ...image, namespaceId: undefined });
    expect(await refusal(service.get(bob, image.id))).toBe("not_found");
  }
  expect((await service.read(ada, above.id)).equals(aDisk())).toBe(true);
});

test("an image whose name is taken gets its id appended", async () => {
  const own = await service.upload(ada, "disk", aDisk());
  const first = await service.upload(ada, "disk", aDisk(), "one");
  await service.upload(ada, `disk-${first.id}`, aDisk());
  const second = await service.upload(ada, "disk", aDisk(), "two");
  for (const { namespaceId } of [first, second]) await service.deleteNamespace(ada, namespaceId!);
  expect((await released(ada, first.id)).name).toBe(`disk-${first.id}-${first.id}`);
  expect((await released(ada, second.id)).name).toBe(`disk-${second.id}`);
  expect((await service.get(ada, own.id)).name).toBe("disk");
  const list = async (search: string) =>
    (await runAs(as(ada), () => service.client.listImages({ search, page: undefined }))).images.map(({ id }) => id);
  expect(await list("")).toHaveLength(4);
  expect(await list(`DISK-${first.id}-${first.id}`)).toEqual([first.id]);
});

test("moving an image out of a deleted namespace publishes no event", async () => {
  const image = await service.upload(ada, "disk", aDisk(), "tree");
  await service.deleteNamespace(ada, image.namespaceId!);
  await released(ada, image.id);
  await service.remove(ada, image.id);
  const [, deleted] = await service.eventsOf(image.id, 2);
  expect(deleted).toMatchObject({ namespaceId: undefined, body: { value: { action: "deleted" } } });
});

test("images leave a deleted namespace in batches, so that other deletions take turns", async () => {
  const { id, namespaceId } = await service.upload(ada, "disk", aDisk(), "tree");
  const collection = service.db.collection<{ _id: number }>("images");
  const first = (await collection.findOne({ _id: id }))!;
  const more = Array.from({ length: 100 }, (_, n) => ({ ...first, _id: 900_000 + n, name: `more-${n}` }));
  await collection.insertMany(more);
  const images = imageStore(service.db, () => {}, testLimits);
  const left = () => collection.countDocuments({ scope: namespaceScope(namespaceId!) });
  expect([await images.release(namespaceId!), await left()]).toEqual(["more", 1]);
  expect([await images.release(namespaceId!), await left()]).toEqual(["done", 0]);
});

test("a failed permission check releases an image of a deleted namespace at once", async () => {
  // The second service receives no events, as if they were late.
  const image = await service.upload(ada, "disk", aDisk(), "tree");
  const withoutEvents = await service.bootAnother();
  await using _closing = withoutEvents;
  const unaware = await withoutEvents.upload(ada, "disk", aDisk(), "tree");
  await service.deleteNamespace(ada, image.namespaceId!);
  expect(await withoutEvents.get(ada, unaware.id)).toMatchObject({ namespaceId: undefined });
});

test("the images of a deleted namespace are released although the event of the deletion is lost", async () => {
  // Other subjects: these services receive no events.
  await using other = await service.bootAnother();
  const lost = await other.upload(ada, "disk", aDisk(), "lost");
  const kept = await other.upload(bob, "disk", aDisk(), "kept");
  await service.deleteNamespace(ada, lost.namespaceId!);
  await using _ = await service.bootAnother();
  const stored = (id: number) => other.db.collection<{ _id: number }>("images").findOne({ _id: id });
  await eventually(async () => expect(await stored(lost.id)).not.toHaveProperty("namespaceId"));
  expect(await stored(kept.id)).toMatchObject({ namespaceId: kept.namespaceId });
});
