import { encrypt } from "@ci/kit/security/secrets";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { aDisk } from "@ci/testkit/a-disk";
import { testKeyring } from "@ci/testkit/accounts";
import { eventually } from "@ci/testkit/eventually";
import { receiver } from "@ci/testkit/receiver";
import type { ImageDoc } from "../src/domain/image.js";
import { aServer, half, serving, type } from "./_server.js";
import { imagesSuite } from "./_suite.js";

const content = aDisk({ sizeBytes: 2_500_000 });

const service = imagesSuite();
let ada: User;
beforeEach(async () => {
  ada = await service.aUser();
});

const images = () => service.db.collection<ImageDoc>("images");

/** A promise that the test resolves. */
function later() {
  let go = () => {};
  const happens = new Promise<void>((resolve) => {
    go = resolve;
  });
  return { go, happens };
}

test("deleting an image aborts its download and removes the content", async () => {
  const before = await service.traces();
  await using server = await half(content);
  const image = await service.download(ada, server.url);
  await eventually(async () => expect((await service.traces()).chunks).toBeGreaterThan(before.chunks!));
  await service.remove(ada, image.id);
  await eventually(() => expect(server.open()).toBe(0));
  await eventually(async () => expect(await service.traces()).toEqual(before));
});

test("a long download keeps its lease", async () => {
  const rest = later();
  let asked = 0;
  await using server = await aServer((_, response) => {
    asked++;
    response.writeHead(200, type).write(content);
    void rest.happens.then(() => response.end());
  });
  const image = await service.download(ada, server.url);
  const lease = async () => (await images().findOne({ _id: image.id }))?.fetch;
  const first = await eventually(async () => {
    const found = await lease();
    expect(found?.token).toBeDefined();
    return found!;
  });
  await eventually(async () => {
    const now = await lease();
    expect(now!.dueAt.getTime()).toBeGreaterThan(first.dueAt.getTime());
    expect(now!.token).toBe(first.token);
  });
  rest.go();
  expect((await service.ended(ada, image)).size).toBe(content.length);
  expect(asked).toBe(1);
});

test("the next service continues a stopped service's download without counting an attempt", async () => {
  await using server = await half(content);
  const settings = { downloadAttempts: 1 };
  const first = await service.another(settings);
  const { id } = await first.download(ada, server.url);
  await eventually(() => expect(server.open()).toBe(1));
  await first[Symbol.asyncDispose]();
  await eventually(() => expect(server.open()).toBe(0));
  await using second = await service.another(settings);
  await eventually(() => expect(server.open()).toBe(1));
  expect((await second.get(ada, id)).download).toMatchObject({ startedAt: expect.any(Date), finishedAt: undefined });
});

test("another service takes over a crashed service's download once the lease ends", async () => {
  await using server = await serving({ status: 200, headers: type, body: content });
  const image = await service.ended(ada, await service.download(ada, server.url));
  const { blobId, size, sha256, ...rest } = (await images().findOne({ _id: image.id }))!;
  const { source, createdAt } = rest.download!;
  const dueAt = new Date(Date.now() + 300);
  const startedAt = new Date(createdAt!.getTime() - 1_000);
  const sealedUrl = encrypt(testKeyring, server.url, { kind: "image", id: image.id });
  const left = {
    download: { source, createdAt, startedAt },
    fetch: { sealedUrl, failures: 4, dueAt, token: "crashed" },
  };
  await images().replaceOne({ _id: image.id }, { ...rest, ...left });
  const again = await service.ended(ada, image);
  expect(again).toMatchObject({ size: content.length, download: { startedAt, error: undefined } });
  expect(again.download!.finishedAt!.getTime()).toBeGreaterThanOrEqual(dueAt.getTime());
});

test("an image whose namespace is deleted during the download moves to its user", async () => {
  const answer = later();
  await using server = await receiver({
    answer: () => answer.happens.then(() => ({ status: 200, headers: type, body: content })),
  });
  const image = await service.download(ada, server.url, "disk", "short");
  await service.deletes(ada, image.namespaceId!);
  await eventually(async () => expect((await service.get(ada, image.id)).namespaceId).toBeUndefined());
  answer.go();
  expect(await service.ended(ada, image)).toMatchObject({ size: content.length, namespaceId: undefined });
  const [, ended] = await service.told(image.id, 2);
  expect(ended).toMatchObject({ namespaceId: undefined, body: { value: { image: { namespaceId: undefined } } } });
});
