import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { parseAllow } from "@ci/kit/net/guard";
import type { Image } from "@ci/proto/images/v1/images";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { aDisk } from "@ci/testkit/a-disk";
import { eventually } from "@ci/testkit/eventually";
import { type Answer, receiver } from "@ci/testkit/receiver";
import * as certificates from "../../../libs/kit/test/certificates.js";
import { aServer, serving, stallingServer, type } from "./_server.js";
import { imagesSuite, MiB, refusal } from "./_suite.js";

const content = aDisk({ sizeBytes: 2_500_000 });

const service = imagesSuite();
let ada: User;
beforeEach(async () => {
  ada = await service.aUser();
});

/** Returns the image after a download with these responses, and the number of requests. */
async function outcome(...responses: Answer[]): Promise<{ image: Image; requestCount: number }> {
  await using server = await serving(...responses);
  const image = await service.finished(ada, await service.download(ada, `${server.url}/disk`));
  return { image, requestCount: server.requests.length };
}

describe("succeeds", () => {
  test.each(["application/x-qemu-disk", "Application/Octet-Stream; charset=binary", undefined])(
    "stores content of type %s",
    async (contentType) => {
      const headers: Record<string, string> = contentType ? { "Content-Type": contentType } : {};
      const { image } = await outcome({ status: 200, headers, body: content });
      expect(image).toMatchObject({ size: content.length, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
      expect(image.download).toEqual({
        source: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/disk$/),
        createdAt: expect.any(Date),
        startedAt: expect.any(Date),
        finishedAt: expect.any(Date),
        error: undefined,
        received: content.length,
        total: undefined,
      });
      expect((await service.read(ada, image.id)).equals(content)).toBe(true);
    },
  );

  test("follows five redirects and sends credentials only to the URL's own origin", async () => {
    await using end = await serving({ status: 200, headers: type, body: content });
    const next = (hop: number) => (hop < 4 ? `/${hop + 1}` : `${end.url}/disk`);
    await using start = await receiver({
      answer: ({ path }) => ({ status: 302, headers: { Location: next(Number(path.slice(1))) } }),
    });
    const from = `${start.url.replace("//", "//ada:s%20t@")}/0`;
    expect((await service.finished(ada, await service.download(ada, from))).size).toBe(content.length);
    const authorization = `Basic ${Buffer.from("ada:s t").toString("base64")}`;
    expect(start.requests.map(({ headers }) => headers.authorization)).toEqual(Array(5).fill(authorization));
    expect(end.requests[0]!.headers.authorization).toBeUndefined();
  });

  test("downloads of one user that hang do not hold up another user's", async () => {
    await using hanging = await stallingServer(content);
    const names = ["one", "two", "three", "four"];
    const held = await Promise.all(names.map((name) => service.download(ada, hanging.url, name)));
    await eventually(() => expect(hanging.connections()).toBe(2));
    const bob = await service.aUser();
    await using server = await serving({ status: 200, headers: type, body: content });
    const image = await service.finished(bob, await service.download(bob, `${server.url}/disk`));
    expect(image.size).toBe(content.length);
    expect(hanging.connections()).toBe(2);
    for (const { id } of held) await service.remove(ada, id);
  });

  test.each([408, 429, 500, 503])("retries after status %d", async (status) => {
    const { image, requestCount } = await outcome(
      { status },
      { status },
      { status: 200, headers: type, body: content },
    );
    expect([requestCount, image.size, image.download?.error]).toEqual([3, content.length, undefined]);
  });

  test("retries after a broken connection", async () => {
    let requestCount = 0;
    await using server = await aServer((_, response) => {
      response.writeHead(200, { ...type, "Content-Length": content.length });
      if (requestCount++ > 0) response.end(content);
      else response.write(content.subarray(0, 1_000), () => response.destroy());
    });
    const image = await service.finished(ada, await service.download(ada, server.url));
    expect([requestCount, image.size]).toEqual([2, content.length]);
    expect((await service.read(ada, image.id)).equals(content)).toBe(true);
  });
});

describe("failures", () => {
  const ok = { status: 200, headers: type };
  const tooLarge = aDisk({ sizeBytes: 5 * MiB + 1 });

  test.each<[string, number, Answer]>([
    ["status 404", 1, { status: 404 }],
    ["status 206", 1, { status: 206, headers: type, body: content }],
    ["status 503", 5, { status: 503 }],
    ["unexpected content type", 1, { status: 200, headers: { "Content-Type": "text/html" }, body: content }],
    ["File not a valid QCOW2 file format", 1, { ...ok, body: "<html>" }],
    ["File not a valid QCOW2 file format", 1, ok],
    ["File cannot have a backing file", 1, { ...ok, body: aDisk({ backingOffset: 8n }) }],
    ["file too large, cannot exceed 0.00488281 GB", 1, { ...ok, body: tooLarge }],
    ["too many redirects", 6, { status: 302, headers: { Location: "/again" } }],
    ["address not allowed", 1, { status: 302, headers: { Location: "http://169.254.169.254/" } }],
  ])("fails with %s after %d requests", async (error, requests, answer) => {
    const before = await service.storedCounts();
    const { image, requestCount } = await outcome(answer);
    expect(image).toMatchObject({ download: { error }, size: undefined, sha256: undefined });
    expect(requestCount).toBe(requests);
    expect(await refusal(service.read(ada, image.id))).toBe("not_found");
    await eventually(async () =>
      expect(await service.storedCounts()).toEqual({ ...before, images: before.images! + 1 }),
    );
  });

  test("fails with TLS certificate invalid unless its authority is configured", async () => {
    const server = createServer({ cert: certificates.good, key: certificates.key }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/disk`;
    const { error } = (await service.finished(ada, await service.download(ada, url))).download!;
    expect(error).toBe("TLS certificate invalid (unknown issuer)");
    await using trusting = await service.bootAnother({ extraCa: certificates.authority });
    // The authority is trusted, but the certificate is for another host.
    const image = await trusting.finished(ada, await trusting.download(ada, url, "tls"));
    expect(image.download?.error).toBe("TLS certificate invalid (wrong host name)");
    await once(server.close(), "close");
  });

  test("fails with connection refused", async () => {
    const server = await serving({ status: 200 });
    await server[Symbol.asyncDispose]();
    const image = await service.finished(ada, await service.download(ada, server.url));
    expect(image.download?.error).toBe("connection refused");
  });

  test("fails with timeout if the content takes too long at every attempt", async () => {
    await using server = await stallingServer(content);
    await using hasty = await service.bootAnother({ downloadTimeoutMs: 200, downloadAttempts: 2 });
    const image = await hasty.finished(ada, await hasty.download(ada, server.url));
    expect(image.download?.error).toBe("timeout");
    await eventually(() => expect(server.connections()).toBe(0));
  });

  test("fails with server too slow, and frees the slot, if a server sends nothing or a byte now and then", async () => {
    await using silent = await aServer(() => {});
    await using stalling = await aServer((_, response) => void response.writeHead(200, type).write(content));
    await using trickling = await aServer((_, response) => {
      let sent = 0;
      const send = () => response.write(content.subarray(sent, ++sent));
      response.writeHead(200, type);
      const sending = setInterval(send, 10);
      response.on("close", () => clearInterval(sending));
    });
    await using hasty = await service.bootAnother({ downloadStallMs: 1, downloadAttempts: 2 });
    const servers = [silent, stalling, trickling];
    const images = await Promise.all(servers.map(({ url }, n) => hasty.download(ada, url, `disk${n}`)));
    for (const image of images)
      expect((await hasty.finished(ada, image)).download?.error).toBe("server too slow: less than 60 KiB in 0.001 s");
    await eventually(() => expect(servers.map(({ connections }) => connections())).toEqual([0, 0, 0]));
  });

  test("fails with address not allowed if the name resolves to a blocked address", async () => {
    await using server = await serving({ ...ok, body: content });
    await using strict = await service.bootAnother({}, { guard: { allow: parseAllow("") } });
    const image = await strict.finished(ada, await strict.download(ada, server.url));
    expect(image.download?.error).toBe("address not allowed");
    expect(server.requests).toEqual([]);
  });
});

describe("events", () => {
  test("publishes images, updated, once at the end, without an actor", async () => {
    await using server = await serving({ status: 503 }, { status: 200, headers: type, body: content });
    const image = await service.finished(ada, await service.download(ada, server.url, "disk", "told"));
    const [, updated] = await service.eventsOf(image.id, 2);
    expect(updated).toMatchObject({
      kind: "images",
      actorId: undefined,
      namespaceId: image.namespaceId,
      at: image.download!.finishedAt,
      body: { $case: "image", value: { action: "updated", image } },
    });
  });

  test("publishes images, updated, with the error", async () => {
    const { image } = await outcome({ status: 410 });
    const [, updated] = await service.eventsOf(image.id, 2);
    expect(updated).toMatchObject({ body: { value: { action: "updated", image } } });
  });
});
