import type { RequestListener, ServerResponse } from "node:http";
import { parseAllow } from "@ci/kit/net/guard";
import { parseResolver } from "@ci/kit/net/resolver";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { aDisk } from "@ci/testkit/a-disk";
import { dnsServer } from "@ci/testkit/dns-server";
import { eventually } from "@ci/testkit/eventually";
import { aServer, type } from "./_server.js";
import { type Booted, bootImages, imagesSuite, MiB, refusal } from "./_suite.js";

const content = aDisk({ sizeBytes: MiB });
const service = imagesSuite();
const parts: AsyncDisposable[] = [];
let ada: User;
let strict: Booted;
/** A service with a short time limit. */
let hasty: Booted;
/** An allowed server, and a blocked one on the same host. */
let open: Awaited<ReturnType<typeof aServer>>;
let inside: Awaited<ReturnType<typeof aServer>>;
let intrusions = 0;

const redirectTo = (location: () => string) => (response: ServerResponse) =>
  response.writeHead(302, { Location: location(), Connection: "close" }).end();

/** The behaviour of the allowed server, by path. */
const behaviours: Record<string, (response: ServerResponse) => unknown> = {
  "/metadata": redirectTo(() => "http://169.254.169.254/latest/meta-data"),
  "/inside": redirectTo(() => inside.url),
  "/by-name": redirectTo(() => inside.url.replace("127.0.0.1", "inside.test")),
  "/mapped": redirectTo(() => inside.url.replace("127.0.0.1", "[::ffff:127.0.0.1]")),
  "/file": redirectTo(() => "file:///etc/passwd"),
  "/round": redirectTo(() => "/round"),
  "/endless"(response) {
    response.writeHead(200, type).write(content);
    const more = () => {
      while (!response.destroyed && response.write(content));
    };
    response.on("drain", more);
    more();
  },
  "/slow"(response) {
    response.writeHead(200, { ...type, "Content-Length": content.length });
    let at = 0;
    const drip = setInterval(() => response.write(content.subarray(at, ++at)), 10);
    response.on("close", () => clearInterval(drip));
  },
  "/page": (response) => response.writeHead(200, { "Content-Type": "text/html" }).end(content),
};

beforeAll(async () => {
  ada = await service.aUser();
  const respond: RequestListener = ({ url }, response) => void behaviours[url!]!(response);
  open = await aServer(respond);
  inside = await aServer((_, response) => {
    intrusions++;
    response.writeHead(200, type).end(content);
  });
  const names = await dnsServer({
    "inside.test": [["127.0.0.1"]],
    "both.test": [["8.8.8.8", "127.0.0.1"]],
    "ci.localhost": [["127.0.0.1"]],
    "both.localhost": [["127.0.0.1", "127.0.0.2"]],
    "public.localhost": [["8.8.8.8"]],
  });
  const allow = parseAllow(new URL(open.url).host);
  const settings = { downloadAttempts: 2, allow, resolver: parseResolver(names.address) };
  strict = await service.bootAnother(settings);
  const otherSuite = { ...service.suite, mongoDb: `${service.suite.mongoDb}_hasty` };
  hasty = await bootImages(otherSuite, service.accounts.address, { ...settings, downloadTimeoutMs: 1_000 });
  parts.push(open, inside, names, strict, hasty);
});
afterAll(async () => {
  for (const part of parts.reverse()) await part[Symbol.asyncDispose]();
});

const notAllowed = { download_url: ["Download_url address not allowed"] };

test.each<[string, () => string]>([
  ["a private address", () => "http://10.0.0.1/disk"],
  ["a cloud's metadata service", () => "http://169.254.169.254/latest"],
  ["another port of an allowed host", () => inside.url],
  ["this host in another spelling", () => inside.url.replace("127.0.0.1", "0x7f.1")],
  ["this host as an IPv6 address", () => inside.url.replace("127.0.0.1", "[::ffff:7f00:1]")],
  ["this host by its name", () => inside.url.replace("127.0.0.1", "localhost")],
  ["a localhost name, at another port", () => inside.url.replace("127.0.0.1", "ci.localhost")],
  ["a localhost name with an additional address", () => open.url.replace("127.0.0.1", "both.localhost")],
  ["a localhost name with a remote address", () => open.url.replace("127.0.0.1", "public.localhost")],
  ["a private address, over SFTP", () => "sftp://ada:secret@192.168.0.1/disk"],
])("rejects %s at once", async (_what, url) => {
  const before = await strict.storedCounts();
  expect(await refusal(strict.download(ada, url()))).toEqual(notAllowed);
  expect(await strict.storedCounts()).toEqual(before);
});

test("accepts a localhost name if all of its addresses are allowed", async () => {
  await endsWith(
    strict,
    "unexpected content type",
    new URL("/page", open.url.replace("127.0.0.1", "ci.localhost")).href,
  );
});

test.each<[string, string, () => string]>([
  ["a name of this host", "address not allowed", () => inside.url.replace("127.0.0.1", "inside.test")],
  ["a name of this host and another", "address not allowed", () => inside.url.replace("127.0.0.1", "both.test")],
  ["a name of this host, over SFTP", "address not allowed", () => "sftp://ada:secret@inside.test/disk"],
  ["an unknown name", "name not found", () => "http://nowhere.test/disk"],
  ["a redirect to a cloud's metadata service", "address not allowed", () => "/metadata"],
  ["a redirect to this host", "address not allowed", () => "/inside"],
  ["a redirect to a name of this host", "address not allowed", () => "/by-name"],
  ["a redirect to this host in another spelling", "address not allowed", () => "/mapped"],
  ["a redirect to a file", "invalid redirect", () => "/file"],
  ["an endless redirect", "too many redirects", () => "/round"],
  ["endless content", "file too large, cannot exceed 0.00488281 GB", () => "/endless"],
  ["another content type", "unexpected content type", () => "/page"],
])("%s fails with %s and leaves no content", async (_what, error, where) => {
  await endsWith(strict, error, new URL(where(), open.url).href);
});

test("content slower than the time limit fails with timeout and leaves no content", async () => {
  await endsWith(hasty, "timeout", new URL("/slow", open.url).href);
});

async function endsWith(at: Booted, error: string, url: string): Promise<void> {
  const before = await at.storedCounts();
  const image = await at.finished(ada, await at.download(ada, url));
  expect(image).toMatchObject({ download: { error, finishedAt: expect.any(Date) }, size: undefined });
  await eventually(async () => expect(await at.storedCounts()).toEqual({ ...before, images: before.images! + 1 }));
  await eventually(() => expect(open.connections()).toBe(0));
  await at.remove(ada, image.id);
  expect(intrusions).toBe(0);
}
