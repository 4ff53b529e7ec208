import type { RequestListener, ServerResponse } from "node:http";
import { parseAllow } from "@ci/kit/net/guard";
import { parseResolver } from "@ci/kit/net/resolver";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { aDisk } from "@ci/testkit/a-disk";
import { dnsServer } from "@ci/testkit/dns-server";
import { eventually } from "@ci/testkit/eventually";
import { type Booted, bootImages, imagesSuite, MiB, refusal } from "./_suite.js";
import { aServer, type } from "./a-server.js";

const content = aDisk({ sizeBytes: MiB });
const service = imagesSuite();
const parts: AsyncDisposable[] = [];
let ada: User;
let strict: Booted;
/** One that allows little time. */
let hasty: Booted;
/** A server that may be reached, and one on the same host that may not. */
let open: Awaited<ReturnType<typeof aServer>>;
let inside: Awaited<ReturnType<typeof aServer>>;
let intrusions = 0;

const to = (location: () => string) => (response: ServerResponse) =>
  response.writeHead(302, { Location: location(), Connection: "close" }).end();

/** What the server that may be reached does, by path. */
const ways: Record<string, (response: ServerResponse) => unknown> = {
  "/metadata": to(() => "http://169.254.169.254/latest/meta-data"),
  "/inside": to(() => inside.url),
  "/by-name": to(() => inside.url.replace("127.0.0.1", "inside.test")),
  "/mapped": to(() => inside.url.replace("127.0.0.1", "[::ffff:127.0.0.1]")),
  "/file": to(() => "file:///etc/passwd"),
  "/round": to(() => "/round"),
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
  const give: RequestListener = ({ url }, response) => void ways[url!]!(response);
  open = await aServer(give);
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
  strict = await service.another(settings);
  const elsewhere = { ...service.suite, mongoDb: `${service.suite.mongoDb}_hasty` };
  hasty = await bootImages(elsewhere, service.accounts.address, { ...settings, downloadTimeoutMs: 1_000 });
  parts.push(open, inside, names, strict, hasty);
});
afterAll(async () => {
  for (const part of parts.reverse()) await part[Symbol.asyncDispose]();
});

const notAllowed = { download_url: ["Download_url address not allowed"] };

test.each<[string, () => string]>([
  ["a private address", () => "http://10.0.0.1/disk"],
  ["the metadata of a cloud", () => "http://169.254.169.254/latest"],
  ["another port of a host that may be reached", () => inside.url],
  ["this host in other words", () => inside.url.replace("127.0.0.1", "0x7f.1")],
  ["this host as an address of IPv6", () => inside.url.replace("127.0.0.1", "[::ffff:7f00:1]")],
  ["this host by its name", () => inside.url.replace("127.0.0.1", "localhost")],
  ["a localhost name, at another port", () => inside.url.replace("127.0.0.1", "ci.localhost")],
  ["a localhost name of an address more", () => open.url.replace("127.0.0.1", "both.localhost")],
  ["a localhost name of an address elsewhere", () => open.url.replace("127.0.0.1", "public.localhost")],
  ["a private address, over SFTP", () => "sftp://ada:secret@192.168.0.1/disk"],
])("%s is refused at once", async (_what, url) => {
  const before = await strict.traces();
  expect(await refusal(strict.download(ada, url()))).toEqual(notAllowed);
  expect(await strict.traces()).toEqual(before);
});

test("a localhost name passes when all of its addresses may be reached", async () => {
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
  ["no name at all", "name not found", () => "http://nowhere.test/disk"],
  ["a redirect to the metadata of a cloud", "address not allowed", () => "/metadata"],
  ["a redirect to this host", "address not allowed", () => "/inside"],
  ["a redirect to a name of this host", "address not allowed", () => "/by-name"],
  ["a redirect to this host in other words", "address not allowed", () => "/mapped"],
  ["a redirect to a file", "invalid redirect", () => "/file"],
  ["redirects without end", "too many redirects", () => "/round"],
  ["content without end", "file too large, cannot exceed 0.00488281 GB", () => "/endless"],
  ["something else", "unexpected content type", () => "/page"],
])("%s ends with its reason (%s), and nothing stays", async (_what, error, where) => {
  await endsWith(strict, error, new URL(where(), open.url).href);
});

test("content slower than the time allowed ends with its reason, and nothing stays", async () => {
  await endsWith(hasty, "timeout", new URL("/slow", open.url).href);
});

async function endsWith(at: Booted, error: string, url: string): Promise<void> {
  const before = await at.traces();
  const image = await at.ended(ada, await at.download(ada, url));
  expect(image).toMatchObject({ download: { error, finishedAt: expect.any(Date) }, size: undefined });
  await eventually(async () => expect(await at.traces()).toEqual({ ...before, images: before.images! + 1 }));
  await eventually(() => expect(open.open()).toBe(0));
  await at.remove(ada, image.id);
  expect(intrusions).toBe(0);
}
