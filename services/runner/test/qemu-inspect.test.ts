import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { aDisk } from "@ci/testkit/a-disk";
import { notRun } from "@ci/testkit/not-run";
import { inspect } from "../src/drivers/qemu/inspect.js";
import { disks } from "./_machines.js";
import { never } from "./_subject.js";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "runner-test-"));
});
afterAll(() => rm(dir, { recursive: true }));

const MiB = 1024 ** 2;

async function look(content: Buffer, virtualBytes = 8 * MiB): Promise<number> {
  const path = join(dir, "image");
  await writeFile(path, content, { mode: 0o644 });
  const file = await open(path);
  try {
    return await inspect(file, { path: process.env.PATH!, virtualBytes, signal: never });
  } finally {
    await file.close();
  }
}

/** Returns the header of an image of 4 MiB, of version 3. */
function aHeader(change: (head: Buffer) => void): Buffer {
  const head = Buffer.alloc(112);
  head.writeUInt32BE(0x514649fb, 0);
  head.writeUInt32BE(3, 4);
  head.writeBigUInt64BE(4n * BigInt(MiB), 24);
  change(head);
  return head;
}

test.each([
  ["nothing", Buffer.alloc(0), "is no QCOW2 file"],
  ["something else", Buffer.from("#!/bin/sh\n".repeat(50)), "is no QCOW2 file"],
  ["the magic alone", Buffer.from([0x51, 0x46, 0x49, 0xfb]), "is too short: it has no complete QCOW2 header"],
  ["half a header", aHeader(() => undefined).subarray(0, 103), "is too short: it has no complete QCOW2 header"],
  ["an old version", aHeader((head) => head.writeUInt32BE(1, 4)), "has version 1 of QCOW2, which cannot be booted"],
  ["a backing file", aHeader((head) => head.writeBigUInt64BE(104n, 8)), "has a backing file"],
  ["external data", aHeader((head) => head.writeBigUInt64BE(4n, 72)), "has an external data file"],
])("refuses an image that is %s by its header", async (_what, content, why) => {
  await expect(look(content)).rejects.toMatchObject({ name: "Fault", message: `The image ${why}` });
});

test("limits the time, memory and files of qemu-img", async () => {
  const [folder, said] = [join(dir, "bin"), join(dir, "limits")];
  await mkdir(folder);
  await chmod(dir, 0o755);
  await writeFile(join(folder, "qemu-img"), "", { mode: 0o755 });
  await writeFile(said, aDisk());
  const file = await open(said);
  const limit = async (letter: string) => {
    const script = `#!/bin/sh\necho "{\\"virtual-size\\": $(($(ulimit -${letter}) + 1))}"\n`;
    await writeFile(join(folder, "qemu-img"), script);
    return (await inspect(file, { path: `${folder}:${process.env.PATH}`, virtualBytes: 2 ** 50, signal: never })) - 1;
  };
  expect([await limit("t"), await limit("v"), await limit("f")]).toEqual([10, 2 * 1024 ** 2, 0]);
  await file.close();
});

if (!disks) notRun("what qemu-img says of images", "CI_TEST_DISKS names no folder of disks");
else {
  const createImage = (...options: string[]) => {
    const path = join(dir, "made.qcow2");
    execFileSync("qemu-img", ["create", "-q", "-f", "qcow2", ...options, path, "4M"]);
    return readFile(path);
  };

  test("returns the size of the disk", async () => {
    expect(await look(await createImage())).toBe(4 * MiB);
    expect(await look(await createImage("-o", "compat=0.10"))).toBe(4 * MiB);
  });

  test("refuses a disk that is too large", async () => {
    await expect(look(await createImage(), 2 * MiB)).rejects.toMatchObject({
      message: "The image has a larger disk than 0.001953125 GiB",
    });
  });

  test("refuses a damaged image with the reason", async () => {
    const damaged = aHeader((head) => head.writeUInt32BE(77, 20));
    await expect(look(damaged)).rejects.toMatchObject({
      name: "Fault",
      message: expect.stringMatching(/^The image cannot be read as QCOW2: .+/),
    });
  });
}
