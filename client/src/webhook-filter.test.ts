import { conditionsOf, filterOf } from "./webhook-filter.js";

test("conditions with the same path are alternatives", () =>
  expect(filterOf(["status=failed", "trigger.data.ref=refs/heads/main", "status = killed"])).toEqual({
    status: ["failed", "killed"],
    "trigger.data.ref": ["refs/heads/main"],
  }));

test.each<[string, unknown]>([
  ["5", 5],
  ["-1.5", -1.5],
  ["true", true],
  ["false", false],
  ["null", null],
  ['"5"', "5"],
  ["1e999", "1e999"],
  ['"null"', "null"],
  ['""', ""],
  ["", ""],
  ["failed", "failed"],
  ["a=b", "a=b"],
  ["[1]", "[1]"],
  ["{}", "{}"],
  ["1 2", "1 2"],
  ['"', '"'],
  ['"a\\nb"', "a\nb"],
  ['"a\\rb"', "a\rb"],
  ['" a "', " a "],
])("the value of x=%s is %p, and is written so that it is read again", (text, value) => {
  const filter = filterOf([`x=${text}`]);
  expect(filter).toEqual({ x: [value] });
  expect(conditionsOf(filter).every((condition) => !/[\r\n]/.test(condition))).toBe(true);
  expect(filterOf(conditionsOf(filter))).toEqual(filter);
});

test("values are written without needless quotes", () =>
  expect(conditionsOf({ status: ["failed", "5"], number: [5, null] })).toEqual([
    ...["status=failed", 'status="5"', "number=5", "number=null"],
  ]));

test.each(["status", "=failed", ""])("%j is no condition", (text) =>
  expect(() => filterOf(["a=b", text])).toThrow(
    `A condition has the form PATH=VALUE, such as status=failed: "${text}"`,
  ),
);
