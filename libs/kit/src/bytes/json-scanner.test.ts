import { jsonScanner } from "./json-scanner.js";

const limits = { maxDepth: 2, maxValues: 3 };

test.each([
  ["[1,2,3]", undefined],
  ["[1,2,3,4]", "maxValues"],
  ["[[1],{}]", undefined],
  ['{"a":[[]]}', "maxDepth"],
  ['["[[[,,,,", "\\"[[[,,,,\\\\"]', undefined],
  ['["\\\\",[[]]]', "maxDepth"],
])("%s has an excess of %s, in one piece or in many", (json, excess) => {
  expect(jsonScanner(limits)(Buffer.from(json))).toBe(excess);
  const scan = jsonScanner(limits);
  const found = [...json].map((piece) => scan(Buffer.from(piece)));
  expect(found.find((one) => one !== undefined)).toBe(excess);
});

function sumOf(bytes: Uint8Array): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at++) sum += bytes[at]!;
  return sum;
}

function leastCpu(work: () => unknown): number {
  const once = () => {
    const before = process.cpuUsage();
    work();
    return process.cpuUsage(before).user;
  };
  return Math.min(...Array.from({ length: 5 }, once));
}

test("scanning a byte outside of strings costs little more than reading it", () => {
  const json = Buffer.from(`[${" ".repeat(8 * 1024 ** 2)}]`);
  expect(leastCpu(() => jsonScanner(limits)(json))).toBeLessThan(8 * leastCpu(() => sumOf(json)));
});
