import { runAs } from "@ci/kit/rpc/caller";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { aDisk } from "@ci/testkit/a-disk";
import { receiver } from "@ci/testkit/receiver";
import type { ImageDoc } from "../src/domain/image.js";
import { as, imagesSuite, refusal } from "./_suite.js";

const service = imagesSuite({ downloadAttempts: 1 });
let ada: User;
beforeEach(async () => {
  ada = await service.aUser();
});

const url = "https://images.test/disk";
const refusalOf = (user: User, ...args: Parameters<typeof service.download> extends [User, ...infer R] ? R : never) =>
  refusal(service.download(user, ...args));

describe("succeeds", () => {
  test("returns the record before the content is downloaded", async () => {
    const image = await service.download(ada, url);
    expect(image).toEqual({
      id: expect.any(Number),
      authorId: ada.id,
      userId: ada.id,
      namespaceId: undefined,
      name: "disk",
      createdAt: expect.any(Date),
      download: {
        source: url,
        createdAt: expect.any(Date),
        startedAt: undefined,
        finishedAt: undefined,
        error: undefined,
        received: 0,
        total: undefined,
      },
      size: undefined,
      sha256: undefined,
    });
    expect(await refusal(service.read(ada, image.id))).toBe("not_found");
  });

  test("an image in a namespace belongs to the namespace's owner", async () => {
    const bob = await service.aUser();
    const root = await service.aNamespace(bob, "bobs");
    await service.addCollaborator(ada, bob, root.id);
    const image = await service.download(ada, url, "disk", `bobs/new@${bob.username}`);
    expect(image).toMatchObject({ userId: bob.id, authorId: ada.id, namespaceId: expect.any(Number) });
    expect(image.namespaceId).not.toBe(root.id);
  });

  test.each(["sftp://ada:se%20cret@images.test/disk", "https://ada:se%20cret@images.test/disk"])(
    "masks the password in the source %s",
    async (source) => {
      const image = await service.download(ada, source);
      const shown = source.replace("se%20cret", "xxxxxx");
      expect(image.download).toMatchObject({ source: shown });
      expect((await service.get(ada, image.id)).download).toMatchObject({ source: shown });
      const [event] = await service.eventsOf(image.id, 1);
      expect(JSON.stringify(event)).not.toMatch(/se( |%20)cret/);
    },
  );

  test("encrypts the password while the download needs it, then removes it", async () => {
    // The server never responds, so the download stays in progress.
    await using server = await receiver({ answer: () => new Promise<never>(() => {}) });
    const image = await service.download(ada, server.url.replace("//", "//ada:secret@"));
    const stored = () => service.db.collection<ImageDoc>("images").findOne({ _id: image.id });
    const waiting = await stored();
    expect(waiting?.fetch?.sealedUrl).toMatch(/^test:/);
    expect(JSON.stringify(waiting)).not.toContain("secret");
    await service.remove(ada, image.id);
    expect((await stored())?.fetch).toBeUndefined();
  });
});

describe("invalid", () => {
  test("reports every wrong field at once and creates nothing", async () => {
    const before = await service.storedCounts();
    expect(await refusalOf(ada, "ftp://images.test/disk", "a.b", "-b")).toEqual({
      name: ["Name can only contain letters, numbers, dashes, and underscores"],
      namespace: [
        "Namespace name can only contain letters, numbers, dots, dashes, and underscores, and begin with a letter or number",
      ],
      download_url: ["Download_url invalid url scheme"],
    });
    expect(await refusalOf(ada, "", "", "fresh")).toEqual({
      name: ["Name field required"],
      file: ["File field required"],
    });
    expect(await service.storedCounts()).toEqual(before);
    const { namespaces } = await runAs(as(ada), () =>
      service.accounts.namespaces.listNamespaces({ search: "", page: undefined }),
    );
    expect(namespaces).toEqual([]);
  });

  test.each([
    ["no url", ["Download_url invalid url scheme"]],
    ["sftp://ada@images.test/disk", ["Download_url missing password from SFTP URL"]],
    ["http://10.0.0.1/disk", ["Download_url address not allowed"]],
    ["http://[::1]/disk", ["Download_url address not allowed"]],
    ["sftp://ada@10.0.0.1/disk", ["Download_url missing password from SFTP URL", "Download_url address not allowed"]],
  ])("rejects the URL %s", async (downloadUrl, complaints) => {
    expect(await refusalOf(ada, downloadUrl)).toEqual({ download_url: complaints });
  });

  test("rejects a taken name, even if an upload took it", async () => {
    await service.upload(ada, "uploaded", aDisk());
    await service.download(ada, url, "downloaded");
    for (const name of ["uploaded", "downloaded"])
      expect(await refusalOf(ada, url, name)).toEqual({ name: ["Name already exists"] });
  });

  test("rejects a caller without a user", async () => {
    const request = { name: "disk", namespace: "", downloadUrl: url };
    expect(await refusal(runAs(as(), () => service.client.downloadImage(request)))).toBe("unauthenticated");
  });
});

describe("conflict", () => {
  test("twenty concurrent requests for one name: one succeeds, nineteen report that the name exists", async () => {
    const attempt = () => service.download(ada, url).catch((error) => error.fields);
    const results = await Promise.all(Array.from({ length: 20 }, attempt));
    const losers = results.filter((result) => result.id === undefined);
    expect(losers).toEqual(Array(19).fill({ name: ["Name already exists"] }));
  });
});

describe("events", () => {
  test("publishes images, created, with the requesting user as actor", async () => {
    const image = await service.download(ada, url, "told", "told");
    expect((await service.eventsOf(image.id, 1))[0]).toMatchObject({
      kind: "images",
      actorId: ada.id,
      namespaceId: image.namespaceId,
      body: { value: { action: "created", image } },
    });
  });
});
