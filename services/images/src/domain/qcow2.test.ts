import { aDisk } from "../../test/a-disk.js";
import { contentComplaints, fileTooLarge, hasMagic, headBytes, readHeader } from "./qcow2.js";

const GiB = 1024 ** 3;
const limit = { virtualBytes: 64 * GiB };
const backing = "File cannot have a backing file";
const external = "File cannot have an external data file";
const tooBig = "File virtual size cannot exceed 64 GiB";

describe("hasMagic", () => {
  test.each([
    ["514649fb", true],
    ["514649fb00", true],
    ["514649", false],
    ["514649fa", false],
    ["00514649fb", false],
    ["", false],
  ])("%s: %s", (hex, has) => expect(hasMagic(Buffer.from(hex, "hex"))).toBe(has));
});

describe("readHeader", () => {
  test("of version 3", () => {
    const head = aDisk({ backingOffset: 1n, features: 0b111n, virtualBytes: 2n ** 63n });
    expect(readHeader(head)).toEqual({ backingFile: true, externalData: true, virtualBytes: 2n ** 63n });
    expect(readHeader(aDisk())).toEqual({ backingFile: false, externalData: false, virtualBytes: 1n << 30n });
  });

  test("of version 2, which has no feature bits where version 3 has them", () => {
    const head = aDisk({ version: 2 });
    head.fill(0xff, 72);
    expect(readHeader(head)).toEqual({ backingFile: false, externalData: false, virtualBytes: 1n << 30n });
  });

  test.each([
    [2, 71, false],
    [2, 72, true],
    [3, 103, false],
    [3, headBytes, true],
    [1, 104, false],
    [4, 104, false],
    [0, 104, false],
  ])("version %d with %d bytes: %s", (version, bytes, complete) => {
    expect(readHeader(aDisk({ version }).subarray(0, bytes)) !== undefined).toBe(complete);
  });

  test("of what ends after the magic", () => expect(readHeader(aDisk().subarray(0, 4))).toBeUndefined());
});

describe("contentComplaints", () => {
  test.each<[string, Buffer, string[]]>([
    ["nothing", Buffer.alloc(0), ["File not a valid QCOW2 file format"]],
    ["text", Buffer.from("#!/bin/sh"), ["File not a valid QCOW2 file format"]],
    ["the magic alone", aDisk().subarray(0, 4), []],
    ["a usual disk", aDisk(), []],
    ["a disk of the limit", aDisk({ virtualBytes: BigInt(64 * GiB) }), []],
    ["a larger one", aDisk({ virtualBytes: BigInt(64 * GiB) + 1n }), [tooBig]],
    ["the largest one", aDisk({ virtualBytes: 2n ** 64n - 1n }), [tooBig]],
    ["a backing file far away", aDisk({ backingOffset: 2n ** 63n }), [backing]],
    ["a backing file in version 2", aDisk({ version: 2, backingOffset: 8n }), [backing]],
    ["other features", aDisk({ features: 0b11011n }), []],
    [
      "everything at once",
      aDisk({ backingOffset: 1n, features: 4n, virtualBytes: 2n ** 40n }),
      [backing, external, tooBig],
    ],
    ["a header cut short", aDisk({ backingOffset: 1n }).subarray(0, 103), []],
  ])("%s", (_what, head, complaints) => expect(contentComplaints(head, limit)).toEqual(complaints));

  test("in numbers of the setting", () => {
    const [complaint] = contentComplaints(aDisk({ virtualBytes: 2n ** 40n }), { virtualBytes: 1.5 * GiB });
    expect(complaint).toBe("File virtual size cannot exceed 1.5 GiB");
  });
});

test.each([
  [20 * GiB, "20"],
  [GiB / 2, "0.5"],
])("fileTooLarge: %d", (limitBytes, number) => {
  expect(fileTooLarge(limitBytes)).toBe(`file too large, cannot exceed ${number} GB`);
});
