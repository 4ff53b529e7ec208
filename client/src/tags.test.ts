import { isTagName } from "./tags.js";

test.each(["v1.2", "from/page", "a/", "-_./", "Ready4"])("%j can be added as a tag", (name) => {
  expect(isTagName(name)).toBe(true);
});

test.each(["", "a b", "grün", "a\n", "a,b", ".", ".."])("%j cannot be added as a tag", (name) => {
  expect(isTagName(name)).toBe(false);
});
