import { aDisk } from "@ci/testkit/a-disk";
import { contentComplaints, fileTooLarge } from "./qcow2.js";

const GiB = 1024 ** 3;
const limit = { virtualBytes: 64 * GiB };
const backing = "File cannot have a backing file";
const external = "File cannot have an external data file";
const tooBig = "File virtual size cannot exceed 64 GiB";

describe("the first bytes of an image", () => {
  test.each<[string, Buffer, string[]]>([
    ["an empty file", Buffer.alloc(0), ["File not a valid QCOW2 file format"]],
    ["text", Buffer.from("#!/bin/sh"), ["File not a valid QCOW2 file format"]],
    ["the magic alone", aDisk().subarray(0, 4), []],
    ["a normal disk", aDisk(), []],
    ["a disk as large as the limit", aDisk({ virtualBytes: BigInt(64 * GiB) }), []],
    ["a larger disk", aDisk({ virtualBytes: BigInt(64 * GiB) + 1n }), [tooBig]],
    ["the largest possible disk", aDisk({ virtualBytes: 2n ** 64n - 1n }), [tooBig]],
    ["a backing file at a distant offset", aDisk({ backingOffset: 2n ** 63n }), [backing]],
    ["a backing file in version 2", aDisk({ version: 2, backingOffset: 8n }), [backing]],
    ["other features", aDisk({ features: 0b11011n }), []],
    [
      "several problems at once",
      aDisk({ backingOffset: 1n, features: 4n, virtualBytes: 2n ** 40n }),
      [backing, external, tooBig],
    ],
    ["an unsupported version", aDisk({ version: 4 }), ["File cannot be read as QCOW2: version 4"]],
    ["a truncated header", aDisk({ backingOffset: 1n }).subarray(0, 103), []],
  ])("are checked: %s", (_case, head, complaints) => expect(contentComplaints(head, limit)).toEqual(complaints));

  test("complaints state the configured limit", () => {
    const [complaint] = contentComplaints(aDisk({ virtualBytes: 2n ** 40n }), { virtualBytes: 1.5 * GiB });
    expect(complaint).toBe("File virtual size cannot exceed 1.5 GiB");
  });
});

test.each([
  [20 * GiB, "20"],
  [GiB / 2, "0.5"],
])("states the file limit of %d bytes in GB", (limitBytes, number) => {
  expect(fileTooLarge(limitBytes)).toBe(`file too large, cannot exceed ${number} GB`);
});
