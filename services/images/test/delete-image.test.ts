import { runAs } from "@ci/kit/rpc/caller";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { aDisk } from "@ci/testkit/a-disk";
import { eventually } from "@ci/testkit/eventually";
import type { ImageDoc } from "../src/domain/image.js";
import { as, imagesSuite, MiB, refusal } from "./_suite.js";

const service = imagesSuite();
let ada: User;
let bob: User;
beforeEach(async () => {
  [ada, bob] = await Promise.all([service.aUser(), service.aUser()]);
});

describe("succeeds", () => {
  test("deletes the record and its content", async () => {
    const before = await service.storedCounts();
    const { id } = await service.upload(ada, "disk", aDisk({ sizeBytes: 2 * MiB }));
    expect(await service.remove(ada, id)).toEqual({});
    expect(await refusal(service.read(ada, id))).toBe("not_found");
    expect(await service.storedCounts()).toEqual(before);
    const images = service.db.collection<ImageDoc>("images");
    await eventually(async () => expect(await images.findOne({ _id: id })).toBeNull());
  });

  test("any member of the namespace may delete its images", async () => {
    const root = await service.aNamespace(ada, "tree");
    await service.addCollaborator(bob, ada, root.id);
    const { id } = await service.upload(ada, "disk", aDisk(), "tree");
    expect(await service.remove(bob, id)).toEqual({ namespaceId: root.id });
  });
});

describe("not_found", () => {
  test("hides missing and deleted images", async () => {
    const { id } = await service.upload(ada, "disk", aDisk());
    await service.remove(ada, id);
    for (const gone of [id, 999_999]) expect(await refusal(service.remove(ada, gone))).toBe("not_found");
  });

  test("hides images of others, and of namespaces the caller may only view", async () => {
    const own = await service.upload(ada, "disk", aDisk());
    const { id, namespaceId } = await service.upload(ada, "disk", aDisk(), "open");
    const open = { id: namespaceId!, visibility: "public" };
    await runAs(as(ada), () => service.accounts.namespaces.updateNamespace(open));
    expect(await service.get(bob, id)).toMatchObject({ id });
    expect(await refusal(service.remove(bob, id))).toBe("not_found");
    expect(await refusal(service.remove(bob, own.id))).toBe("not_found");
    expect(await refusal(runAs(as(), () => service.client.deleteImage({ id })))).toBe("unauthenticated");
    expect((await service.read(ada, own.id)).length).toBe(aDisk().length);
  });
});

describe("conflict", () => {
  test("ten concurrent deletions: one succeeds, nine get not_found", async () => {
    const { id } = await service.upload(ada, "disk", aDisk());
    const attempt = () => service.remove(ada, id).catch((error) => error.code);
    const results = await Promise.all(Array.from({ length: 10 }, attempt));
    expect(results.filter((result) => result !== "not_found")).toEqual([{}]);
    await service.eventsOf(id, 2);
  });
});

describe("events", () => {
  test("publishes images, deleted, with the last record", async () => {
    const image = await service.upload(ada, "disk", aDisk(), "tree");
    await service.remove(ada, image.id);
    const [, deleted] = await service.eventsOf(image.id, 2);
    expect(deleted).toMatchObject({
      kind: "images",
      actorId: ada.id,
      namespaceId: image.namespaceId,
      body: { $case: "image", value: { action: "deleted", image } },
    });
  });
});
