import { runAs } from "@ci/kit/rpc/caller";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { aDisk } from "@ci/testkit/a-disk";
import { as, imagesSuite, refusal } from "./_suite.js";

const service = imagesSuite();
let ada: User;
let bob: User;
beforeEach(async () => {
  [ada, bob] = await Promise.all([service.aUser(), service.aUser()]);
});

describe("succeeds", () => {
  test("returns the caller's own image", async () => {
    const image = await service.upload(ada, "disk", aDisk());
    expect(await service.get(ada, image.id)).toEqual(image);
  });

  test("returns a namespace's image to users who may view the namespace", async () => {
    const image = await service.upload(ada, "disk", aDisk(), "tree/child");
    const [root] = (
      await runAs(as(ada), () => service.accounts.namespaces.listNamespaces({ search: "", page: {} as never }))
    ).namespaces;
    await service.addCollaborator(bob, ada, root!.id);
    expect(await service.get(bob, image.id)).toEqual(image);
    await runAs(as(ada), () => service.accounts.namespaces.updateNamespace({ id: root!.id, visibility: "internal" }));
    expect(await service.get(await service.aUser(), image.id)).toEqual(image);
  });
});

describe("not_found", () => {
  test("rejects an unknown id", async () => {
    expect(await refusal(service.get(ada, 999_999))).toBe("not_found");
  });

  test("hides images of other users", async () => {
    const { id } = await service.upload(ada, "disk", aDisk());
    expect(await refusal(service.get(bob, id))).toBe("not_found");
  });

  test("hides a private namespace's images even from an author who is no longer a member", async () => {
    const root = await service.aNamespace(ada, "tree");
    await service.addCollaborator(bob, ada, root.id);
    const { id } = await service.upload(bob, "disk", aDisk(), `tree@${ada.username}`);
    const leave = { namespaceId: root.id, handle: bob.username };
    await runAs(as(ada), () => service.accounts.namespaces.removeCollaborator(leave));
    expect(await refusal(service.get(bob, id))).toBe("not_found");
  });

  test("hides deleted images", async () => {
    const { id } = await service.upload(ada, "disk", aDisk());
    await service.remove(ada, id);
    expect(await refusal(service.get(ada, id))).toBe("not_found");
  });

  test("rejects a caller without a user", async () => {
    const { id } = await service.upload(ada, "disk", aDisk());
    expect(await refusal(runAs(as(), () => service.client.getImage({ id })))).toBe("unauthenticated");
  });
});
