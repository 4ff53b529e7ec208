import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { deflateSync } from "node:zlib";
import { parseAllow } from "@ci/kit/net/guard";
import { guardedAgent } from "@ci/kit/net/guarded-agent";
import { flush, packet } from "./packets.js";
import { openRemote } from "./remote.js";

const agent = guardedAgent({ allow: parseAllow("127.0.0.1/32") });
const paths: string[] = [];
let answer: string | Buffer = "";
const server = createServer(({ url, method }, response) => {
  paths.push(url!);
  response.end(method === "GET" ? packet("version 2\n") + flush : answer);
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(async () => {
  await agent.close();
  server.close();
});

const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const open = (path: string, maxBytes = 64 * 1024 ** 2) =>
  openRemote({
    agent,
    url: address() + path,
    signal: new AbortController().signal,
    timeoutMs: 600_000,
    maxBytes,
    totalBytes: Number.POSITIVE_INFINITY,
    maxObjects: 10,
  });
const sha = "1".repeat(40);
const other = "2".repeat(40);

test("slashes at the end of an address do not count", async () => {
  await open("/one///");
  expect(paths.at(-1)).toBe("/one/info/refs?service=git-upload-pack");
});

test("an address with a million slashes in the middle is refused by the server", async () => {
  await expect(open(`/${"/".repeat(1_000_000)}x`)).rejects.toThrow();
});

test("a ref is found among others, with the commit of an annotated tag", async () => {
  const remote = await open("/one");
  answer = [
    packet(`${other} refs/heads/main-2\n`),
    packet(`${sha} refs/heads/main\n`),
    packet(`${other} refs/tags/v1 peeled:${sha}\n`),
    flush,
  ].join("");
  expect(await remote.find("refs/heads/none", "refs/heads/main")).toBe(sha);
  expect(await remote.find("refs/tags/v1")).toBe(sha);
  expect(await remote.find("refs/heads/none")).toBeUndefined();
  expect(await remote.head()).toBeUndefined();
  answer = packet(`${sha} HEAD symref-target:refs/heads/main\n`) + flush;
  expect(await remote.head()).toEqual({ sha, ref: "refs/heads/main" });
});

test("a ref is found among 200,000", async () => {
  const remote = await open("/one");
  const line = packet(`${other} refs/heads/other\n`);
  answer = line.repeat(200_000) + packet(`${sha} refs/heads/main\n`) + flush;
  expect(await remote.find("refs/heads/main")).toBe(sha);
});

test.each(["0000", "0001", "0004", "0005a"])("an answer of 8,000,000 times %j is refused", async (part) => {
  const remote = await open("/one");
  answer = Buffer.alloc(8_000_000 * part.length, part);
  await expect(remote.find("HEAD")).rejects.toThrow("malformed answer");
  await expect(remote.head()).rejects.toThrow("malformed answer");
});

test("objects whose answer has many markers in a row are refused", async () => {
  const remote = await open("/one");
  answer = Buffer.alloc(32_000_000, "0001");
  await expect(remote.get(sha)).rejects.toThrow("malformed answer");
});

/** Two-byte headers: blobs of 16 to 2,047 bytes. */
const blobEntry = (data: Buffer) =>
  Buffer.concat([Buffer.from([0xb0 | (data.length & 15), data.length >> 4]), deflateSync(data)]);
const packOf = (...blobs: Buffer[]) =>
  Buffer.concat([Buffer.from([...Buffer.from("PACK"), 0, 0, 0, 2, 0, 0, 0, blobs.length]), ...blobs.map(blobEntry)]);
const blobId = (data: Buffer) => createHash("sha1").update(`blob ${data.length}\0`).update(data).digest("hex");

test("what a server sends unasked counts until it is forgotten", async () => {
  const remote = await open("/one", 3_000);
  const get = (wanted: number, unasked: number) => {
    const data = Buffer.alloc(500, wanted);
    const pack = packOf(data, Buffer.alloc(1_000, unasked));
    const size = (pack.length + 5).toString(16).padStart(4, "0");
    answer = Buffer.concat([Buffer.from(`${packet("packfile\n")}${size}\x01`), pack, Buffer.from(flush)]);
    return remote.get(blobId(data)).then(() => remote.forget(blobId(data)));
  };
  await get(1, 11);
  await get(2, 12);
  await expect(get(3, 13)).rejects.toThrow("repository too large");
  remote.forget(blobId(Buffer.alloc(1_000, 11)));
  await get(3, 13);
});
