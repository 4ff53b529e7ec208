import { createHash } from "node:crypto";
import { runAs } from "@ci/kit/rpc/caller";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { aDisk } from "@ci/testkit/a-disk";
import { eventually } from "@ci/testkit/eventually";
import { uploadMessages } from "@ci/testkit/uploads";
import { as, imagesSuite, MiB, refusal } from "./_suite.js";

const service = imagesSuite();
let ada: User;
beforeEach(async () => {
  ada = await service.aUser();
});

const refusalOf = (user: User, ...args: Parameters<typeof uploadMessages>) => refusal(service.upload(user, ...args));

describe("succeeds", () => {
  test("returns the record once all content is stored", async () => {
    const content = aDisk({ sizeBytes: 2_500_000 });
    const image = await service.upload(ada, "disk", content);
    expect(image).toEqual({
      id: expect.any(Number),
      authorId: ada.id,
      userId: ada.id,
      namespaceId: undefined,
      name: "disk",
      createdAt: expect.any(Date),
      download: undefined,
      size: 2_500_000,
      sha256: createHash("sha256").update(content).digest("hex"),
    });
    expect(await service.get(ada, image.id)).toEqual(image);
    expect((await service.read(ada, image.id)).equals(content)).toBe(true);
  });

  test("accepts a file too short for a header, in chunks of any size", async () => {
    expect(await service.upload(ada, "short", Buffer.from("514649fb", "hex"), "", 1)).toMatchObject({ size: 4 });
    expect(await service.upload(ada, "header", aDisk().subarray(0, 103), "", 3)).toMatchObject({ size: 103 });
  });

  test("accepts content and a disk exactly at their limits", async () => {
    const content = aDisk({ sizeBytes: 5 * MiB, virtualBytes: 64n << 30n });
    expect(await service.upload(ada, "big", content)).toMatchObject({ size: 5 * MiB });
  });

  test("creates a missing namespace of the caller", async () => {
    const image = await service.upload(ada, "disk", aDisk(), "fresh/child");
    const { namespace } = await runAs(as(ada), () =>
      service.accounts.namespaces.getNamespace({ username: ada.username, path: "fresh/child", anonymous: false }),
    );
    expect(image).toMatchObject({ userId: ada.id, authorId: ada.id, namespaceId: namespace!.id });
  });

  test("an image in another user's namespace has its owner as user and the collaborator as author", async () => {
    const bob = await service.aUser();
    const root = await service.aNamespace(bob, "bobs");
    await service.addCollaborator(ada, bob, root.id);
    const image = await service.upload(ada, "disk", aDisk(), `bobs@${bob.username}`);
    expect(image).toMatchObject({ userId: bob.id, authorId: ada.id, namespaceId: root.id });
  });

  test("accepts the same name in every scope, and again after deletion", async () => {
    const { id } = await service.upload(ada, "same", aDisk());
    await service.upload(ada, "same", aDisk(), "first");
    await service.upload(ada, "same", aDisk(), "second");
    await service.upload(await service.aUser(), "same", aDisk());
    await service.remove(ada, id);
    await service.upload(ada, "same", aDisk());
  });
});

describe("invalid", () => {
  test("reports every wrong field at once and creates nothing", async () => {
    const before = await service.storedCounts();
    expect(await refusalOf(ada, "", "", "-b")).toEqual({
      namespace: [
        "Namespace name can only contain letters, numbers, dots, dashes, and underscores, and begin with a letter or number",
      ],
      name: ["Name field required"],
      file: ["File field required"],
    });
    expect(await refusalOf(ada, "a.b", "QFI is not enough", "fresh")).toEqual({
      name: ["Name can only contain letters, numbers, dashes, and underscores"],
      file: ["File not a valid QCOW2 file format"],
    });
    expect(await service.storedCounts()).toEqual(before);
    const { namespaces } = await runAs(as(ada), () =>
      service.accounts.namespaces.listNamespaces({ search: "", page: undefined }),
    );
    expect(namespaces).toEqual([]);
  });

  test.each([
    ["File cannot have a backing file", aDisk({ backingOffset: 112n })],
    ["File cannot have an external data file", aDisk({ features: 4n })],
    ["File virtual size cannot exceed 64 GiB", aDisk({ virtualBytes: (64n << 30n) + 1n })],
  ])("rejects content: %s", async (complaint, content) => {
    expect(await refusalOf(ada, "disk", content, "", 7)).toEqual({ file: [complaint] });
  });

  test("rejects a taken name, with and without a namespace", async () => {
    await service.upload(ada, "disk", aDisk());
    await service.upload(ada, "disk", aDisk(), "mine");
    expect(await refusalOf(ada, "disk", aDisk())).toEqual({ name: ["Name already exists"] });
    expect(await refusalOf(ada, "disk", aDisk(), "mine")).toEqual({ name: ["Name already exists"] });
  });

  test("rejects content above the limit and removes it", async () => {
    const before = await service.storedCounts();
    const tooLarge = { file: ["file too large, cannot exceed 0.00488281 GB"] };
    expect(await refusalOf(ada, "big", aDisk({ sizeBytes: 5 * MiB + 1 }))).toEqual(tooLarge);
    expect(await service.storedCounts()).toEqual(before);
  });

  test("rejects a wrong name while the sender is still sending", async () => {
    async function* endless() {
      yield { part: { $case: "header" as const, value: { name: "a b", namespace: "" } } };
      for (;;) yield { part: { $case: "chunk" as const, value: aDisk() } };
    }
    const name = ["Name can only contain letters, numbers, dashes, and underscores"];
    expect(await refusal(runAs(as(ada), () => service.client.uploadImage(endless())))).toEqual({ name });
  });

  test("rejects a namespace that the caller may not write to", async () => {
    const bob = await service.aUser();
    await service.aNamespace(bob, "private");
    const denied = { namespace: ["Namespace permission denied"] };
    expect(await refusalOf(ada, "disk", aDisk(), `private@${bob.username}`)).toEqual(denied);
    expect(await refusalOf(ada, "disk", aDisk(), "mine@nobody")).toEqual({ namespace: ["Namespace invalid owner"] });
  });

  test("rejects content before the header", async () => {
    async function* headless() {
      yield { part: { $case: "chunk" as const, value: aDisk() } };
    }
    const call = runAs(as(ada), () => service.client.uploadImage(headless()));
    await expect(call).rejects.toMatchObject({ code: "invalid", message: "The header comes first" });
  });

  test("rejects a caller without a user", async () => {
    expect(await refusal(runAs(as(), () => service.client.uploadImage(uploadMessages("disk", aDisk()))))).toBe(
      "unauthenticated",
    );
  });
});

/** Yields an upload without its last message. */
async function* unfinishedUpload() {
  for await (const message of uploadMessages("half", aDisk({ sizeBytes: 2 * MiB })))
    if (message.part.$case !== "end") yield message;
}

describe("conflict", () => {
  test("twenty concurrent uploads of one name: one succeeds, the others leave nothing", async () => {
    const before = await service.storedCounts();
    const attempt = () => service.upload(ada, "raced", aDisk(), "raced").catch((error) => error.fields);
    const results = await Promise.all(Array.from({ length: 20 }, attempt));
    const losers = results.filter((result) => result.id === undefined);
    expect(losers).toEqual(Array(19).fill({ name: ["Name already exists"] }));
    expect(await service.storedCounts()).toEqual({
      images: before.images! + 1,
      files: before.files! + 1,
      chunks: before.chunks! + 1,
      uploads: before.uploads,
    });
  });

  test("an interrupted upload leaves nothing", async () => {
    const before = await service.storedCounts();
    expect(await refusal(runAs(as(ada), () => service.client.uploadImage(unfinishedUpload())))).toBe("unavailable");
    expect(await service.storedCounts()).toEqual(before);
  });

  test("a cancelled upload leaves nothing", async () => {
    const before = await service.storedCounts();
    const abort = new AbortController();
    async function* stalledUpload() {
      yield* unfinishedUpload();
      const chunks = before.chunks! + 1;
      await eventually(async () => expect((await service.storedCounts()).chunks).toBeGreaterThanOrEqual(chunks));
      abort.abort();
      await new Promise(() => {});
    }
    const call = runAs(as(ada), () => service.client.uploadImage(stalledUpload(), { signal: abort.signal }));
    await expect(call).rejects.toThrow();
    await eventually(async () => expect(await service.storedCounts()).toEqual(before));
  });
});

describe("events", () => {
  test("publishes images, created, in the image's namespace", async () => {
    const image = await service.upload(ada, "told", aDisk(), "told");
    expect(await service.eventsOf(image.id, 1)).toMatchObject([
      {
        kind: "images",
        actorId: ada.id,
        namespaceId: image.namespaceId,
        at: image.createdAt,
        body: { $case: "image", value: { action: "created", image } },
      },
    ]);
  });

  test("publishes no namespace for an image without one", async () => {
    const { id } = await service.upload(ada, "told", aDisk());
    expect(await service.eventsOf(id, 1)).toMatchObject([{ kind: "images", namespaceId: undefined }]);
  });
});
