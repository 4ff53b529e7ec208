import { execFileSync, spawnSync } from "node:child_process";
import { type FileHandle, mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { aDisk, type Disk } from "@ci/testkit/a-disk";
import { eventually } from "@ci/testkit/eventually";
import { notRun } from "@ci/testkit/not-run";
import { readHeader } from "../src/header.js";
import { hasQemuImg, imageInfo } from "../src/qemu-img.js";
import { type Range, survey } from "../src/tables.js";

const path = process.env.PATH!;
const surveyFile = (file: Buffer) =>
  survey(readHeader(file)!, file.length, async (offset, bytes) => file.subarray(offset, offset + bytes));

/** Writes a header extension with these numbers as its data. */
function writeExtension(file: Buffer, at: number, type: number, data: readonly bigint[]): void {
  file.writeUInt32BE(type, at);
  file.writeUInt32BE(data.length * 8, at + 4);
  for (const [index, value] of data.entries()) file.writeBigUInt64BE(value, at + 8 + index * 8);
}

describe("survey", () => {
  test("lists the metadata of an empty disk", async () => {
    const metadata = [
      { offset: 0, bytes: 1024 },
      { offset: 1536, bytes: 256 },
    ];
    for (const sizeBytes of [2048, 5000]) expect(await surveyFile(aDisk({ sizeBytes }))).toEqual({ metadata });
  });

  test.each<[string, Disk, (file: Buffer) => unknown]>([
    ["cannot be read as QCOW2: clusters of 2^8 bytes", {}, (file) => file.writeUInt32BE(8, 20)],
    ["cannot be read as QCOW2: clusters of 2^77 bytes", {}, (file) => file.writeUInt32BE(77, 20)],
    ["cannot be read as QCOW2: its L1 table lies beyond its end", { l1Offset: 1n << 40n }, () => 0],
    ["cannot be read as QCOW2: its L1 table lies beyond its end", { l1Offset: 1n << 63n }, () => 0],
    ["cannot be read as QCOW2: its L1 table lies beyond its end", { sizeBytes: 1536 + 255 }, () => 0],
    ["cannot be read as QCOW2: its L1 table is too large", {}, (file) => file.writeUInt32BE(2 ** 22 + 1, 36)],
    ["cannot be read as QCOW2: its refcount table lies beyond its end", {}, (file) => file.writeUInt32BE(4, 56)],
    ["cannot be read as QCOW2: its refcount table is too large", {}, (file) => file.writeUInt32BE(2 ** 31, 56)],
    ["cannot be read as QCOW2: its snapshot table lies beyond its end", {}, (file) => file.writeUInt32BE(60, 60)],
    [
      "cannot be read as QCOW2: it has more than one encryption header",
      {},
      (file) => [104, 128].map((at) => writeExtension(file, at, 0x0537be77, [512n, 1024n])),
    ],
    [
      "cannot be read as QCOW2: it has more than one bitmap directory",
      {},
      (file) => [104, 136].map((at) => writeExtension(file, at, 0x23852875, [0n, 512n, 1024n])),
    ],
    ["is shorter than its metadata says", {}, (file) => file.writeUInt16BE(1, 1024 + 2 * 4)],
    ["is shorter than its metadata says", {}, (file) => file.writeBigUInt64BE(4096n, 512)],
    ["is shorter than its metadata says", {}, (file) => file.writeBigUInt64BE(1024n, 512 + 8)],
  ])("reports that an image %s", async (problem, disk, change) => {
    const file = aDisk(disk);
    change(file);
    expect(await surveyFile(file)).toEqual({ problem });
  });

  test("lists metadata that overlaps only once", async () => {
    const file = aDisk({ sizeBytes: 4096 });
    writeExtension(file, 104, 0x0537be77, [768n, 1024n]);
    writeExtension(file, 128, 0x23852875, [0n, 600n, 800n]);
    const metadata = [{ offset: 0, bytes: 1792 }];
    expect(await surveyFile(file)).toEqual({ metadata });
  });

  test("the last cluster may be truncated, but not missing", async () => {
    const file = aDisk({ sizeBytes: 2049 });
    file.writeUInt16BE(1, 1024 + 2 * 4);
    expect(await surveyFile(file)).toMatchObject({ metadata: expect.anything() });
    expect(await surveyFile(file.subarray(0, 2048))).toEqual({ problem: "is shorter than its metadata says" });
  });
});

/** Returns an image with many snapshots of long names. */
function diskWithLongNames(): Buffer {
  const file = aDisk({ sizeBytes: 100_000 }).fill(0, 2048);
  const [count, nameBytes] = [300, 255];
  file.writeUInt32BE(count, 60);
  file.writeBigUInt64BE(2048n, 64);
  for (let at = 2048; at < 2048 + count * 312; at += 312) {
    file.writeUInt16BE(1, at + 12);
    file.writeUInt16BE(nameBytes, at + 14);
    file.writeUInt32BE(16, at + 36);
    file.fill("x", at + 56, at + 57 + nameBytes);
  }
  return file;
}

const runShell = (command: string, file: string) =>
  execFileSync("/bin/sh", ["-c", command], { env: { PATH: path, file } });

/** Returns the content of the image that a command creates. */
async function createImage(dir: string, command: string): Promise<Buffer> {
  const file = join(dir, "made.qcow2");
  // For LUKS, qemu-img first measures the processor, which may fail on a busy machine.
  await eventually(async () => {
    await rm(file, { force: true });
    runShell(command, file);
  });
  return readFile(file);
}

/** Creates a file of the same size with only these ranges of the content. */
async function sparseCopy(dir: string, file: Buffer, ranges: readonly Range[]): Promise<FileHandle> {
  const copy = await open(join(dir, "sparse"), "w+");
  for (const { offset, bytes } of ranges) await copy.write(file, offset, bytes, offset);
  await copy.truncate(file.length);
  return copy;
}

const create = 'qemu-img create -q -f qcow2 "$file"';
const filled = 'head -c 3000000 /dev/urandom > "$file.raw"; qemu-img convert -f raw -O qcow2';
const commands = {
  "an empty image": `${create} 64G`,
  "an image of version 2": `${create} -o compat=0.10 64G`,
  "an image with small clusters": `${create} -o cluster_size=512 1G`,
  "an image with large clusters": `${create} -o cluster_size=2M 64G`,
  "an image with small refcounts": `${create} -o refcount_bits=1 64G`,
  "an image with large refcounts": `${create} -o refcount_bits=64 64G`,
  "an image with preallocated tables": `${create} -o preallocation=metadata 1G`,
  "an image with preallocated clusters": `${create} -o preallocation=falloc 16M`,
  "an image with subclusters": `${create} -o extended_l2=on 64G`,
  "an image with data": `${filled} "$file.raw" "$file"`,
  "an image with data and small refcounts": `${filled} -o refcount_bits=2 "$file.raw" "$file"`,
  "an image with compressed data": `${filled} -c "$file.raw" "$file"`,
  "an image with snapshots": `${create} 64M; for name in one two; do qemu-img snapshot -c $name "$file"; done`,
  "an image with bitmaps": `${create} 64M; qemu-img bitmap --add "$file" one; qemu-img bitmap --add "$file" two`,
  "an encrypted image": `${create} --object secret,id=s,data=x -o encrypt.format=luks,encrypt.iter-time=10,encrypt.key-secret=s 1M`,
};

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "kit-test-"));
});
afterAll(() => rm(dir, { recursive: true }));

async function info(file: FileHandle) {
  try {
    return await imageInfo(file, { path, signal: AbortSignal.timeout(60_000) });
  } finally {
    await file.close();
  }
}

const qemu = spawnSync("qemu-img", ["--version"]).status === 0;
if (!qemu) notRun("images made by qemu-img", "qemu-img is not installed");
else {
  test("qemu-img is found only on a PATH that has it", async () => {
    expect(await Promise.all([path, "/nowhere"].map(hasQemuImg))).toEqual([true, false]);
  });

  test.each(Object.entries(commands))(
    "%s is described by its metadata alone, and a truncated copy is detected",
    async (_, command) => {
      const file = await createImage(dir, command);
      const found = await surveyFile(file);
      if ("problem" in found) throw new Error(found.problem);
      const whole = await info(await open(join(dir, "made.qcow2")));
      expect(whole).toEqual({ virtualBytes: expect.any(Number) });
      expect(await info(await sparseCopy(dir, file, found.metadata))).toEqual(whole);
      expect(found.metadata.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(9 * 1024 ** 2);
      const cluster = 2 ** file.readUInt32BE(20);
      const truncated = file.subarray(0, Math.floor((file.length - 1) / cluster) * cluster);
      expect(await surveyFile(truncated)).toEqual({
        problem: expect.stringMatching(/beyond its end|^is shorter than its metadata says$/),
      });
    },
  );

  test.each([
    ["cannot be read as QCOW2: Image does not contain a reference count table", aDisk().fill(0, 56, 60)],
    ["cannot be read as QCOW2: L1 table is too small", aDisk().fill(0, 36, 40)],
    ["cannot be read as QCOW2: it describes itself at too great a length", diskWithLongNames()],
  ])("the problem that qemu-img reports is returned without the file's name: %s", async (problem, content) => {
    await writeFile(join(dir, "bad"), content);
    expect(await info(await open(join(dir, "bad")))).toEqual({ problem });
  });
}
