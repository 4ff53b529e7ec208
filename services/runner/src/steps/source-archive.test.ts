import { Readable } from "node:stream";
import type { CheckedOut } from "@ci/git/checkout";
import { turnsDuring } from "@ci/testkit/turns-during";
import { extract, type Header } from "tar-stream";
import { sourceArchive } from "./source-archive.js";

const roomy = 1024 ** 3;
const link = (path: string, target = "target"): CheckedOut => ({ path, kind: "link", data: Buffer.from(target) });
const file = (path: string, text: string): CheckedOut => ({ path, kind: "file", data: Buffer.from(text) });

async function* listed(files: Iterable<CheckedOut>, onTaken: () => void = () => undefined) {
  for (const one of files) {
    onTaken();
    yield one;
  }
}

async function unpacked(...files: CheckedOut[]) {
  const found: (Partial<Header> & { text: string })[] = [];
  const entries = Readable.from(sourceArchive(listed(files), "to", roomy)).pipe(extract() as never);
  for await (const entry of entries as AsyncIterable<AsyncIterable<Uint8Array> & { header: Header }>) {
    const parts: Uint8Array[] = [];
    for await (const part of entry) parts.push(part);
    const { name, type, mode, linkname } = entry.header;
    found.push({ name, type, mode, linkname, text: Buffer.concat(parts).toString() });
  }
  return found;
}

test("an archive holds files, links and folders, whatever the length of their paths", async () => {
  const long = `${"d/".repeat(2_000)}é`;
  const found = await unpacked(
    file("a", "text"),
    { path: "run", kind: "executable", data: Buffer.alloc(0) },
    link(`${"f".repeat(250)}/l`, "t".repeat(300)),
    { path: "sub", kind: "folder", data: Buffer.alloc(0) },
    file(long, "x".repeat(100_000)),
  );
  expect(found).toMatchObject([
    { name: "to/", type: "directory", mode: 0o755 },
    { name: "to/a", type: "file", mode: 0o644, text: "text" },
    { name: "to/run", type: "file", mode: 0o755, text: "" },
    { name: `to/${"f".repeat(250)}/l`, type: "symlink", linkname: "t".repeat(300) },
    { name: "to/sub/", type: "directory" },
    { name: `to/${long}`, text: "x".repeat(100_000) },
  ]);
});

const many = Array.from({ length: 20_000 }, (_, n) => link(`l${n}`));

test("links wait until the archive is read", async () => {
  let taken = 0;
  const archive = sourceArchive(
    listed(many, () => taken++),
    "to",
    roomy,
  );
  await archive.next();
  await new Promise((resolve) => setImmediate(resolve));
  expect(taken).toBeLessThan(10);
  await archive.return(undefined);
});

test("other work has its turn while an archive is made", async () => {
  const whole = Readable.from(sourceArchive(listed(many), "to", roomy)).toArray();
  // Each link counts 1 KiB.
  expect(await turnsDuring(whole)).toBeGreaterThanOrEqual(70);
});

test("entries without content count, too", async () => {
  const archive = Readable.from(sourceArchive(listed(many), "to", 1024 ** 2));
  await expect(archive.toArray()).rejects.toThrow("it is larger than 1 MiB, the limit of CLONE_LIMIT");
});

test.each([
  ["no target", "", "a link has no target"],
  ["a target longer than any path", "t".repeat(5_000), "the target of a link is longer than 4096 characters"],
])("a link with %s is refused", async (_what, target, why) => {
  const archive = Readable.from(sourceArchive(listed([link("l", target)]), "to", roomy));
  await expect(archive.toArray()).rejects.toThrow(why);
});
