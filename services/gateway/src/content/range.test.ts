import type { IncomingMessage } from "node:http";
import { partOf } from "./range.js";

const part = (range: string, sizeBytes: number) => partOf({ headers: { range } } as IncomingMessage, sizeBytes);
const whole = { start: 0, end: 11 };

test.each([
  ["bytes=-5", { start: 7, end: 11 }],
  ["bytes=-12", whole],
  ["bytes=-13", whole],
  [`bytes=-${"9".repeat(40)}`, whole],
  ["bytes= -99", whole],
  ["bytes=50-60, -99", whole],
  ["bytes=0-0, -99", undefined],
  ["bytes=-99, 0-0", undefined],
  ["bytes=-", undefined],
  ["lines=50-60", undefined],
  ["lines=-0", undefined],
])("partOf selects %s of 12 bytes", (range, expected) => expect(part(range, 12)).toEqual(expected));

test.each(["bytes=12-", "bytes=-0", "bytes=12-, -0"])("partOf rejects %s of 12 bytes", (range) => {
  expect(() => part(range, 12)).toThrow(expect.objectContaining({ status: 416 }));
});

test.each(["bytes=-1", "bytes=0-, -99"])("partOf returns all of an empty content for %s", (range) => {
  expect(part(range, 0)).toBeUndefined();
});

test.each(["bytes=0-", "bytes=-0", "bytes=-00, 1-2"])("partOf rejects %s of an empty content", (range) => {
  expect(() => part(range, 0)).toThrow(expect.objectContaining({ status: 416 }));
});

test("partOf ignores ranges of more than 200 characters", () => {
  expect(part(`bytes=${"0".repeat(192)}-1`, 12)).toEqual({ start: 0, end: 1 });
  expect(part(`bytes=${"0".repeat(193)}-1`, 12)).toBeUndefined();
  expect(part(`bytes=${" ".repeat(15_000)}12-`, 12)).toBeUndefined();
});
