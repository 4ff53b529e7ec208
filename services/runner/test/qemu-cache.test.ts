import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "@ci/testkit/eventually";
import { type Fetch, openCache } from "../src/drivers/qemu/cache.js";
import { Ended } from "../src/endings/ended.js";
import { deferred, never } from "./_subject.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "runner-test-"));
});
afterEach(() => rm(folder, { recursive: true }));

const open = (limitBytes = 100) => openCache({ folder, limitBytes, owner: "a runner" });
const anImage = (text: string) => ({
  text,
  sha256: createHash("sha256").update(text).digest("hex"),
  sizeBytes: Buffer.byteLength(text),
});
type Image = ReturnType<typeof anImage>;

/** Serves an image and counts the requests. */
function aSender({ text }: { text: string }): { fetch: Fetch; requestCount: () => number } {
  let requestCount = 0;
  async function* fetch() {
    requestCount++;
    for (const letter of text) yield Buffer.from(letter);
  }
  return { fetch, requestCount: () => requestCount };
}

const names = async () => (await readdir(folder)).sort();
const sorted = (...images: Image[]) => images.map(({ sha256 }) => sha256).sort();

/** Uses an image briefly, and dates the use `secondsAgo` back. */
async function use(cache: Awaited<ReturnType<typeof open>>, image: Image, secondsAgo = 0): Promise<void> {
  await (await cache.hold(image, aSender(image).fetch, never))[Symbol.asyncDispose]();
  const then = new Date(Date.now() - secondsAgo * 1_000);
  await utimes(join(folder, image.sha256), then, then);
}

test("fetches an image once for many builds, also across a restart", async () => {
  const image = anImage("the content");
  const { fetch, requestCount } = aSender(image);
  const cache = await open();
  const held = await Promise.all([1, 2, 3].map(() => cache.hold(image, fetch, never)));
  for (const one of held) {
    expect(await one.file.readFile("utf8")).toBe("the content");
    await one[Symbol.asyncDispose]();
  }
  await using again = await (await open()).hold(image, fetch, never);
  expect(await again.file.readFile("utf8")).toBe("the content");
  expect(requestCount()).toBe(1);
});

test("of many small images, those used last stay", async () => {
  const nameOf = (nth: number) => String(nth).padStart(64, "0");
  for (let nth = 0; nth < 1_001; nth++) {
    const path = join(folder, nameOf(nth));
    await writeFile(path, "");
    await utimes(path, nth, nth);
  }
  await use(await open(), anImage("the content"));
  const left = await names();
  expect([left.length, left[0]]).toEqual([1_000, nameOf(2)]);
});

test.each([
  ["of another content", anImage("other text"), "has not arrived as it was sent"],
  ["that is cut off", anImage("the conten"), "has not arrived as it was sent"],
  ["that is longer", anImage("the content and more"), "larger than its record"],
])("does not keep an image %s", async (_what, sent, message) => {
  const image = anImage("the content");
  const cache = await open();
  await expect(cache.hold(image, aSender(sent).fetch, never)).rejects.toThrow(message);
  expect(await names()).toEqual([]);
  await use(cache, image);
  expect(await readFile(join(folder, image.sha256), "utf8")).toBe("the content");
});

test("does not keep an image if the file system stores only a part of it", async () => {
  const image = anImage("x".repeat(100_000));
  const holds = `
    const { openCache } = require(${JSON.stringify(join(__dirname, "../dist/drivers/qemu/cache.js"))});
    const [folder, text, sha256] = process.argv.slice(1);
    const image = { sha256, sizeBytes: text.length };
    openCache({ folder, limitBytes: text.length, owner: "a runner" })
      .then((cache) => cache.hold(image, async function* () { yield Buffer.from(text); }, new AbortController().signal))
      .then(() => console.log("held"), ({ code }) => console.log(code));`;
  // The limit is in blocks of 512 or of 1,024 bytes.
  const command = [
    "-c",
    'ulimit -f 50; exec "$@"',
    "sh",
    process.execPath,
    "-e",
    holds,
    folder,
    image.text,
    image.sha256,
  ];
  expect(execFileSync("sh", command, { encoding: "utf8" })).toBe("EFBIG\n");
  expect(await names()).toEqual([]);
});

test("removes unfinished files after a crash, but not those of other runners", async () => {
  await writeFile(join(folder, "part.a%20runner.0123456789abcdef"), "half");
  await writeFile(join(folder, "part.a%20runner.b.0123456789abcdef"), "half");
  await writeFile(join(folder, "part.another.0123456789abcdef"), "half");
  await open();
  expect(await names()).toEqual(["part.a%20runner.b.0123456789abcdef", "part.another.0123456789abcdef"]);
});

test("removes the least recently used image first", async () => {
  const [first, second, third] = [anImage("a".repeat(40)), anImage("b".repeat(40)), anImage("c".repeat(40))];
  const cache = await open();
  await use(cache, first, 20);
  await use(cache, second, 10);
  await use(cache, first);
  await use(cache, third);
  expect(await names()).toEqual(sorted(first, third));
});

test("removes unused images while the disk is short, least recently used first", async () => {
  const [first, second, third] = [anImage("a".repeat(20)), anImage("b".repeat(20)), anImage("c".repeat(20))];
  const cache = await open();
  await using _held = await cache.hold(first, aSender(first).fetch, never);
  await utimes(join(folder, first.sha256), new Date(0), new Date(0));
  await use(cache, second, 20);
  await use(cache, third, 10);
  await cache.shed(async () => (await names()).length > 2);
  expect(await names()).toEqual(sorted(first, third));
  await cache.shed(async () => true);
  expect(await names()).toEqual(sorted(first));
});

test("keeps images in use, and waits for their space", async () => {
  const [first, second, third] = [anImage("a".repeat(40)), anImage("b".repeat(40)), anImage("c".repeat(40))];
  const cache = await open();
  const one = await cache.hold(first, aSender(first).fetch, never);
  const two = await cache.hold(second, aSender(second).fetch, never);
  let arrived = false;
  const three = cache.hold(third, aSender(third).fetch, never).finally(() => {
    arrived = true;
  });
  const giveUp = new AbortController();
  const four = cache.hold(anImage("d".repeat(50)), aSender({ text: "" }).fetch, giveUp.signal);
  giveUp.abort(new Ended("killed"));
  await expect(four).rejects.toMatchObject({ ending: "killed" });
  expect(arrived).toBe(false);
  expect(await names()).toEqual(sorted(first, second));
  await two[Symbol.asyncDispose]();
  await using _three = await three;
  expect(await names()).toEqual(sorted(first, third));
  expect(await one.file.readFile("utf8")).toBe(first.text);
  await one[Symbol.asyncDispose]();
});

test("refuses an image that can never fit", async () => {
  const image = anImage("x".repeat(101));
  await expect((await open()).hold(image, aSender(image).fetch, never)).rejects.toMatchObject({
    message: "The image is larger than this runner's cache",
  });
});

test("continues a fetch while anyone waits for it, and stops it afterwards", async () => {
  const image = anImage("the content");
  const cache = await open();
  const go = deferred();
  async function* slow() {
    yield Buffer.from("the ");
    await go.promise;
    yield Buffer.from("content");
  }
  const giveUp = new AbortController();
  const one = cache.hold(image, slow, giveUp.signal);
  const two = cache.hold(image, slow, never);
  giveUp.abort(new Ended("killed"));
  await expect(one).rejects.toMatchObject({ ending: "killed" });
  go.resolve();
  await using held = await two;
  expect(await held.file.readFile("utf8")).toBe("the content");

  const other = anImage("something else");
  const leaving = new AbortController();
  let stopped: AbortSignal | undefined;
  async function* endless(stop: AbortSignal) {
    stopped = stop;
    for (;;) {
      yield Buffer.from("s");
      await deferred().promise;
    }
  }
  const three = cache.hold(other, endless, leaving.signal);
  await eventually(async () => expect((await names()).length).toBe(2));
  leaving.abort(new Ended("killed"));
  await expect(three).rejects.toMatchObject({ ending: "killed" });
  expect(stopped?.aborted).toBe(true);
  await eventually(async () => expect(await names()).toEqual([image.sha256]));
});
