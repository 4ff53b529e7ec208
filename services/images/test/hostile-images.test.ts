import { spawnSync } from "node:child_process";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { aDisk } from "@ci/testkit/a-disk";
import { eventually } from "@ci/testkit/eventually";
import { notRun } from "@ci/testkit/not-run";
import { serving, type } from "./_server.js";
import { imagesSuite, refusal } from "./_suite.js";

const service = imagesSuite();
let ada: User;
beforeAll(async () => {
  ada = await service.aUser();
});

/** Returns an image whose backing file is a file of this host. */
function withBackingFile(): Buffer {
  const name = "/etc/passwd";
  const file = aDisk({ backingOffset: 112n });
  file.writeUInt32BE(name.length, 16);
  file.write(name, 112);
  return file;
}

/** Returns an image whose external data file is a file of this host. */
function withExternalData(): Buffer {
  const name = "/etc/passwd";
  const file = aDisk({ features: 4n });
  file.writeUInt32BE(0x44415441, 104);
  file.writeUInt32BE(name.length, 108);
  file.write(name, 112);
  return file;
}

/** Returns an image whose last data cluster is missing. */
function truncated(): Buffer {
  const file = aDisk({ sizeBytes: 10_000 });
  file.writeUInt16BE(1, 1024 + 2 * 19);
  return file.subarray(0, 19 * 512);
}

const hostile: [string, Buffer, string][] = [
  ["a backing file of the host", withBackingFile(), "File cannot have a backing file"],
  ["data in a file of the host", withExternalData(), "File cannot have an external data file"],
  ["a disk of 8 EiB", aDisk({ virtualBytes: 1n << 63n }), "File virtual size cannot exceed 64 GiB"],
  ["its last cluster cut off", truncated(), "File is shorter than its metadata says"],
  ["its tables cut off", aDisk().subarray(0, 1000), "File cannot be read as QCOW2: its L1 table lies beyond its end"],
  ["no magic", Buffer.from("#!/bin/sh\nexit 0\n"), "File not a valid QCOW2 file format"],
  ["an unknown version", aDisk({ version: 4 }), "File cannot be read as QCOW2: version 4"],
  [
    "its L1 table beyond its end",
    aDisk({ l1Offset: 1n << 40n }),
    "File cannot be read as QCOW2: its L1 table lies beyond its end",
  ],
  [
    "no refcount table, which only qemu-img notices",
    aDisk().fill(0, 56, 60),
    "File cannot be read as QCOW2: Image does not contain a reference count table",
  ],
];

const qemu = spawnSync("qemu-img", ["--version"]).status === 0;
if (!qemu) notRun("qemu-img's check of new images", "qemu-img is not installed");
const detected = qemu ? hostile : hostile.slice(0, -1);

describe.each(detected)("an image with %s is rejected and its content removed", (_what, content, complaint) => {
  test("after an upload", async () => {
    const before = await service.storedCounts();
    expect(await refusal(service.upload(ada, "hostile", content, "", 700))).toEqual({ file: [complaint] });
    expect(await service.storedCounts()).toEqual(before);
  });

  test("after a download", async () => {
    const before = await service.storedCounts();
    await using server = await serving({ status: 200, headers: type, body: content });
    const image = await service.finished(ada, await service.download(ada, server.url, "hostile"));
    expect(image).toMatchObject({ download: { error: complaint }, size: undefined, sha256: undefined });
    expect(server.requests).toHaveLength(1);
    await eventually(async () =>
      expect(await service.storedCounts()).toEqual({ ...before, images: before.images! + 1 }),
    );
    await service.remove(ada, image.id);
  });
});

test("the built-in check reads the tables even without qemu-img", async () => {
  await using alone = await service.bootAnother({ path: "/nowhere" });
  const before = await alone.storedCounts();
  for (const [, content, complaint] of hostile.slice(0, -1))
    expect(await refusal(alone.upload(ada, "hostile", content))).toEqual({ file: [complaint] });
  expect(await alone.storedCounts()).toEqual(before);
  await alone.upload(ada, "well", aDisk());
});
