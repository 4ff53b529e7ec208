import { gutterOf } from "./gutter.js";

test("a long text without mistakes has one part", () => {
  const [all, ...others] = gutterOf(1_000_000, new Set());
  expect(others).toEqual([]);
  expect(`${all}`.split("\n")).toHaveLength(1_000_000);
});

test("wrong lines are parts of their own, those after the end are left out", () => {
  expect(gutterOf(6, new Set([1, 4, 5, 9]))).toEqual([1, "2\n3", 4, 5, "6"]);
});
