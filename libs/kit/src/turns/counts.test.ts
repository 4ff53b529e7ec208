import { countsBy } from "./counts.js";

it("counts by key, and forgets a key whose count is 0", () => {
  const counts = countsBy<string>();
  counts.add("a", 1);
  counts.add("a", 2);
  counts.add("b", 1);
  expect([counts.of("a"), counts.of("b"), counts.of("c"), counts.keys()]).toEqual([3, 1, 0, ["a", "b"]]);
  counts.add("a", -3);
  expect([counts.of("a"), counts.keys()]).toEqual([0, ["b"]]);
});
