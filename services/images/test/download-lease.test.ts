import { encrypt } from "@ci/kit/security/secrets";
import type { Image } from "@ci/proto/images/v1/images";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { aDisk } from "@ci/testkit/a-disk";
import { testKeyring } from "@ci/testkit/accounts";
import { eventually } from "@ci/testkit/eventually";
import { receiver } from "@ci/testkit/receiver";
import type { Fetch, ImageDoc } from "../src/domain/image.js";
import { aServer, serving, stallingServer, type } from "./_server.js";
import { imagesSuite } from "./_suite.js";

const content = aDisk({ sizeBytes: 2_500_000 });

const service = imagesSuite();
let ada: User;
beforeEach(async () => {
  ada = await service.aUser();
});

const images = () => service.db.collection<ImageDoc>("images");

/** Returns a promise that the test resolves. */
function deferred() {
  let resolveIt = () => {};
  const promise = new Promise<void>((resolve) => {
    resolveIt = resolve;
  });
  return { resolve: () => resolveIt(), promise };
}

test("deleting an image aborts its download and removes the content", async () => {
  const before = await service.storedCounts();
  await using server = await stallingServer(content);
  const image = await service.download(ada, server.url);
  await eventually(async () => expect((await service.storedCounts()).chunks).toBeGreaterThan(before.chunks!));
  await service.remove(ada, image.id);
  await eventually(() => expect(server.connections()).toBe(0));
  await eventually(async () => expect(await service.storedCounts()).toEqual(before));
});

test("a long download keeps its lease", async () => {
  const rest = deferred();
  let requestCount = 0;
  await using server = await aServer((_, response) => {
    requestCount++;
    response.writeHead(200, type).write(content);
    void rest.promise.then(() => response.end());
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
  rest.resolve();
  expect((await service.finished(ada, image)).size).toBe(content.length);
  expect(requestCount).toBe(1);
});

test("the next service continues a stopped service's download without counting an attempt", async () => {
  await using server = await stallingServer(content);
  const settings = { downloadAttempts: 1 };
  const first = await service.bootAnother(settings);
  const { id } = await first.download(ada, server.url);
  await eventually(() => expect(server.connections()).toBe(1));
  await first[Symbol.asyncDispose]();
  await eventually(() => expect(server.connections()).toBe(0));
  await using second = await service.bootAnother(settings);
  await eventually(() => expect(server.connections()).toBe(1));
  expect((await second.get(ada, id)).download).toMatchObject({ startedAt: expect.any(Date), finishedAt: undefined });
});

/** Makes a finished download one that an earlier process has begun. */
async function begunBefore({ id }: Image, url: string, fetch: Partial<Fetch>) {
  const { blobId, size, sha256, ...rest } = (await images().findOne({ _id: id }))!;
  const { source, createdAt } = rest.download!;
  const startedAt = new Date(createdAt!.getTime() - 1_000);
  const dueAt = new Date(Date.now() + 300);
  const sealedUrl = encrypt(testKeyring, url, { kind: "image", id });
  const left = { download: { source, createdAt, startedAt }, fetch: { sealedUrl, failures: 4, dueAt, ...fetch } };
  await images().replaceOne({ _id: id }, { ...rest, ...left });
  return { startedAt, dueAt };
}

test("another service takes over a crashed service's download once the lease ends", async () => {
  await using server = await serving({ status: 200, headers: type, body: content });
  const image = await service.finished(ada, await service.download(ada, server.url));
  const { startedAt, dueAt } = await begunBefore(image, server.url, { token: "crashed" });
  const finished = await service.finished(ada, image);
  expect(finished).toMatchObject({ size: content.length, download: { startedAt, error: undefined } });
  expect(finished.download!.finishedAt!.getTime()).toBeGreaterThanOrEqual(dueAt.getTime());
});

test.each<[string, Partial<Fetch>, number]>([
  ["of a service that has crashed", { token: "crashed" }, 1],
  ["of four services that have crashed", { token: "crashed", lost: 3 }, 4],
  ["of a service that has ended in order after four that crashed", { lost: 4 }, 4],
])("a download %s is attempted again", async (_whose, fetch, lost) => {
  await using well = await serving({ status: 200, headers: type, body: content });
  await using stalling = await stallingServer(content);
  const image = await service.finished(ada, await service.download(ada, well.url));
  await begunBefore(image, stalling.url, fetch);
  await eventually(() => expect(stalling.connections()).toBe(1));
  expect((await images().findOne({ _id: image.id }))!.fetch).toMatchObject({ lost, failures: 4 });
  await service.remove(ada, image.id);
});

test("a download during which five services have crashed fails without another attempt", async () => {
  await using server = await serving({ status: 200, headers: type, body: content });
  const image = await service.finished(ada, await service.download(ada, server.url));
  await begunBefore(image, server.url, { token: "crashed", lost: 4, failures: 0 });
  const error = "the service ended each time during the download; try again later";
  expect(await service.finished(ada, image)).toMatchObject({ size: undefined, download: { error } });
  expect(server.requests).toHaveLength(1);
  expect((await images().findOne({ _id: image.id }))!.fetch).toBeUndefined();
});

test("an image whose namespace is deleted during the download moves to its user", async () => {
  const answer = deferred();
  await using server = await receiver({
    answer: () => answer.promise.then(() => ({ status: 200, headers: type, body: content })),
  });
  const image = await service.download(ada, server.url, "disk", "short");
  await service.deleteNamespace(ada, image.namespaceId!);
  await eventually(async () => expect((await service.get(ada, image.id)).namespaceId).toBeUndefined());
  answer.resolve();
  expect(await service.finished(ada, image)).toMatchObject({ size: content.length, namespaceId: undefined });
  const [, ended] = await service.eventsOf(image.id, 2);
  expect(ended).toMatchObject({ namespaceId: undefined, body: { value: { image: { namespaceId: undefined } } } });
});
