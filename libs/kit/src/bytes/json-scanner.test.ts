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
