import { aDisk } from "@ci/testkit/a-disk";
import { hasMagic, headBytes, readHeader, versionOf } from "./header.js";

describe("hasMagic", () => {
  test.each([
    ["514649fb", true],
    ["514649fb00", true],
    ["514649", false],
    ["514649fa", false],
    ["00514649fb", false],
    ["", false],
  ])("reports for the bytes %p: %p", (hex, expected) => expect(hasMagic(Buffer.from(hex, "hex"))).toBe(expected));
});

describe("readHeader", () => {
  const empty = {
    ...{ backingFile: false, externalData: false, virtualBytes: 1n << 20n, clusterBits: 9 },
    ...{ l1: { offset: 1536, entries: 32 }, refcounts: { offset: 512, clusters: 1, bits: 16 } },
    ...{ snapshots: { offset: 0, count: 0 }, bytes: 104 },
  };

  test("reads all fields of version 3", () => {
    expect(readHeader(aDisk())).toEqual(empty);
    const head = aDisk({ backingOffset: 1n, features: 0b111n, virtualBytes: 2n ** 63n });
    expect(readHeader(head)).toMatchObject({ backingFile: true, externalData: true, virtualBytes: 2n ** 63n });
  });

  test("ignores feature bits in version 2, which has none", () => {
    const head = aDisk({ version: 2 });
    head.fill(0xff, 72);
    expect(readHeader(head)).toEqual({ ...empty, bytes: 72 });
  });

  test.each([
    [2, 71, false],
    [2, 72, true],
    [3, 103, false],
    [3, headBytes, true],
    [1, 104, false],
    [4, 104, false],
    [0, 104, false],
  ])("reads version %d with %d bytes: %p", (version, bytes, complete) => {
    expect(readHeader(aDisk({ version }).subarray(0, bytes)) !== undefined).toBe(complete);
  });

  test("returns undefined for a file that ends after the magic", () =>
    expect(readHeader(aDisk().subarray(0, 4))).toBeUndefined());
});

test.each([
  [4, 71, undefined],
  [4, 72, 4],
])("versionOf reads version %d with %d bytes as %p", (version, bytes, expected) => {
  expect(versionOf(aDisk({ version }).subarray(0, bytes))).toBe(expected);
});
