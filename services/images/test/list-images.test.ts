import { runAs } from "@ci/kit/rpc/caller";
import type { ListImagesRequest } from "@ci/proto/images/v1/images";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { aDisk } from "@ci/testkit/a-disk";
import { as, imagesSuite, refusal } from "./_suite.js";

const service = imagesSuite();
let ada: User;
let bob: User;
beforeEach(async () => {
  [ada, bob] = await Promise.all([service.aUser(), service.aUser()]);
});

const list = async (user: User | undefined, request: Partial<ListImagesRequest> = {}) => {
  const { images, page } = await runAs(as(user), () =>
    service.client.listImages({ search: "", page: undefined, ...request }),
  );
  return { names: images.map(({ name }) => name), page };
};

/** Creates images without content, one after another. */
const downloads = (user: User, names: string[], namespace = "") =>
  names.reduce(async (before, name) => {
    await before;
    return service.download(user, "https://images.test/disk", name, namespace);
  }, Promise.resolve<unknown>(undefined));

describe("succeeds", () => {
  test("returns the caller's own images and those of their namespaces, by name", async () => {
    await service.upload(ada, "b", aDisk());
    await service.upload(ada, "Z", aDisk(), "mine");
    const root = await service.aNamespace(bob, "bobs");
    await service.addCollaborator(ada, bob, root.id);
    await service.upload(bob, "a", aDisk(), "bobs/child");
    await service.upload(bob, "c", aDisk());
    await service.upload(bob, "d", aDisk(), "other");
    expect((await list(ada)).names).toEqual(["Z", "a", "b"]);
    expect((await list(bob)).names).toEqual(["a", "c", "d"]);
    expect((await list(await service.aUser())).names).toEqual([]);
  });

  test("returns exactly one namespace's images, newest first", async () => {
    await downloads(ada, ["b", "c", "a"], "tree");
    await downloads(ada, ["d"], "tree/child");
    const tree = await service.aNamespace(ada, "tree");
    const request = { namespaceId: tree.id };
    expect((await list(ada, request)).names).toEqual(["a", "c", "b"]);
    await runAs(as(ada), () => service.accounts.namespaces.updateNamespace({ id: tree.id, visibility: "public" }));
    expect((await list(bob, request)).names).toEqual(["a", "c", "b"]);
    expect((await list(bob)).names).toEqual([]);
  });

  test("returns pages of 25", async () => {
    const names = Array.from({ length: 27 }, (_, i) => `disk${String(i).padStart(2, "0")}`);
    await downloads(ada, names);
    expect(await list(ada)).toEqual({ names: names.slice(0, 25), page: { hasNext: true } });
    expect(await list(ada, { page: { number: 2 } })).toEqual({ names: names.slice(25), page: { hasNext: false } });
    expect(await list(ada, { page: { number: 9 } })).toEqual({ names: [], page: { hasNext: false, lastPage: 2 } });
  });

  test("searches for part of a name, ignoring case", async () => {
    await downloads(ada, ["Debian-12", "debian_13", "alpine"]);
    await downloads(ada, ["debian"], "tree");
    expect((await list(ada, { search: "DEBIAN" })).names).toEqual(["Debian-12", "debian", "debian_13"]);
    expect((await list(ada, { search: "n-1" })).names).toEqual(["Debian-12"]);
    expect((await list(ada, { search: "." })).names).toEqual([]);
  });

  test("omits deleted images", async () => {
    const { id } = await service.upload(ada, "disk", aDisk(), "tree");
    const { id: namespaceId } = await service.aNamespace(ada, "tree");
    await service.remove(ada, id);
    expect((await list(ada)).names).toEqual([]);
    expect((await list(ada, { namespaceId })).names).toEqual([]);
  });
});

describe("not_found", () => {
  test("hides namespaces that are missing or that the caller may not view", async () => {
    const { id: namespaceId } = await service.aNamespace(ada, "tree");
    expect(await refusal(list(bob, { namespaceId }))).toBe("not_found");
    expect(await refusal(list(ada, { namespaceId: 999_999 }))).toBe("not_found");
  });

  test("rejects a caller without a user", async () => {
    expect(await refusal(list(undefined))).toBe("unauthenticated");
  });
});
