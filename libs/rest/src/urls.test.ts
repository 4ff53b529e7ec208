import { relationsOf } from "./relations.js";
import { namespaceUrl, namespaceUrlOf, recordUrl, recordUrlIfAny, segments } from "./urls.js";

const bare = relationsOf("https://ci.example.com//", { users: [], namespaces: [] });

test.each([
  ["plain", "plain"],
  ["a/b c/ü", "a/b%20c/%C3%BC"],
  ["50%?#&+", "50%25%3F%23%26%2B"],
  ["", ""],
  ["...", "..."],
  ["..", "..%2F"],
  [".", ".%2F"],
  ["../../n/a b", "..%2F..%2Fn%2Fa%20b"],
  ["a/.", "a%2F."],
  ["a/", "a%2F"],
  ["/a", "%2Fa"],
  ["a//b", "a%2F%2Fb"],
])("segments encodes %j as %j", (text, encoded) => {
  expect(segments(text)).toBe(encoded);
});

test("URLs begin with the base URL without its trailing slashes", () => {
  expect(recordUrl("images", 7, bare)).toBe("https://ci.example.com/images/7");
});

test("the URL of a missing record is null", () => {
  expect(recordUrlIfAny("objects", undefined, bare)).toBeNull();
  expect(namespaceUrlOf(3, bare)).toBeNull();
});

test("the URL of a namespace with an unknown owner leads to no other user", () => {
  expect(namespaceUrl({ userId: 3, path: "a/b" }, bare)).toBe("https://ci.example.com/n/-/a/b");
});
