import { relationsOf } from "./relations.js";
import { namespaceUrl, namespaceUrlOf, recordUrl, recordUrlIfAny, segments } from "./urls.js";

const bare = relationsOf("https://ci.example.com//", { users: [], namespaces: [] });

test.each([
  ["plain", "plain"],
  ["a/b c/ü", "a/b%20c/%C3%BC"],
  ["50%?#&+", "50%25%3F%23%26%2B"],
  ["", ""],
])("encodes the segments of %j", (text, encoded) => {
  expect(segments(text)).toBe(encoded);
});

test("drops trailing slashes of the base URL", () => {
  expect(recordUrl("images", 7, bare)).toBe("https://ci.example.com/images/7");
});

test("a missing record has no URL", () => {
  expect(recordUrlIfAny("objects", undefined, bare)).toBeNull();
  expect(namespaceUrlOf(3, bare)).toBeNull();
});

test("the URL of a namespace with an unknown owner leads to no other user", () => {
  expect(namespaceUrl({ userId: 3, path: "a/b" }, bare)).toBe("https://ci.example.com/n/-/a/b");
});
