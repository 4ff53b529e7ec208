import { namespacePath } from "./namespace-ref.js";

test.each([
  ["team/web", "/n/ann/team/web"],
  ["../../b/ann/7", "/n/ann/..%2F..%2Fb%2Fann%2F7"],
])("the path of the namespace %s leads nowhere else", (path, expected) => {
  expect(namespacePath({ username: "ann", path })).toBe(expected);
});
