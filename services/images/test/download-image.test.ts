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
const refused = (user: User, ...what: Parameters<typeof service.download> extends [User, ...infer R] ? R : never) =>
  refusal(service.download(user, ...what));

describe("answers", () => {
  test("the record at once, while the content is still to come", async () => {
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

  test("whose record it becomes, in a namespace", async () => {
    const bob = await service.aUser();
    const root = await service.aNamespace(bob, "bobs");
    await service.joins(ada, bob, root.id);
    const image = await service.download(ada, url, "disk", `bobs/new@${bob.username}`);
    expect(image).toMatchObject({ userId: bob.id, authorId: ada.id, namespaceId: expect.any(Number) });
    expect(image.namespaceId).not.toBe(root.id);
  });

  test.each(["sftp://ada:se%20cret@images.test/disk", "https://ada:se%20cret@images.test/disk"])(
    "the source without its password: %s",
    async (source) => {
      const image = await service.download(ada, source);
      const shown = source.replace("se%20cret", "xxxxxx");
      expect(image.download).toMatchObject({ source: shown });
      expect((await service.get(ada, image.id)).download).toMatchObject({ source: shown });
      const [event] = await service.told(image.id, 1);
      expect(JSON.stringify(event)).not.toMatch(/se( |%20)cret/);
    },
  );

  test("a password that is not stored in plain text while it is needed, and not at all afterwards", async () => {
    // An answer that never comes keeps the download waiting.
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
  test("every field at once, and nothing is made", async () => {
    const before = await service.traces();
    expect(await refused(ada, "ftp://images.test/disk", "a.b", "-b")).toEqual({
      name: ["Name can only contain letters, numbers, dashes, and underscores"],
      namespace: [
        "Namespace name can only contain letters, numbers, dots, dashes, and underscores, and begin with a letter or number",
      ],
      download_url: ["Download_url invalid url scheme"],
    });
    expect(await refused(ada, "", "", "fresh")).toEqual({
      name: ["Name field required"],
      file: ["File field required"],
    });
    expect(await service.traces()).toEqual(before);
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
  ])("the URL %s", async (downloadUrl, complaints) => {
    expect(await refused(ada, downloadUrl)).toEqual({ download_url: complaints });
  });

  test("a name that is taken, also by an upload", async () => {
    await service.upload(ada, "uploaded", aDisk());
    await service.download(ada, url, "downloaded");
    for (const name of ["uploaded", "downloaded"])
      expect(await refused(ada, url, name)).toEqual({ name: ["Name already exists"] });
  });

  test("a caller without user", async () => {
    const ask = { name: "disk", namespace: "", downloadUrl: url };
    expect(await refusal(runAs(as(), () => service.client.downloadImage(ask)))).toBe("unauthenticated");
  });
});

describe("conflict", () => {
  test("of twenty at the same time one wins", async () => {
    const one = () => service.download(ada, url).catch((error) => error.fields);
    const answers = await Promise.all(Array.from({ length: 20 }, one));
    const losers = answers.filter((answer) => answer.id === undefined);
    expect(losers).toEqual(Array(19).fill({ name: ["Name already exists"] }));
  });
});

describe("events", () => {
  test("images, created, by whom asked for it", async () => {
    const image = await service.download(ada, url, "told", "told");
    expect((await service.told(image.id, 1))[0]).toMatchObject({
      kind: "images",
      actorId: ada.id,
      namespaceId: image.namespaceId,
      body: { value: { action: "created", image } },
    });
  });
});
