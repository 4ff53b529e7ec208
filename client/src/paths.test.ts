import { createClient } from "./client.js";
import { encodeName, straight } from "./paths.js";

const at = (name: string) => `https://ci.example.com/b/ann/7/tags/${encodeName(name)}`;

test.each([
  ["plain", "plain"],
  ["a/b c/\u00fc?", "a/b%20c/%C3%BC%3F"],
  ["../../n/a b", "..%2F..%2Fn%2Fa%20b"],
  ["a/./b", "a%2F.%2Fb"],
  ["a/", "a%2F"],
  ["/a", "%2Fa"],
  ["a//b", "a%2F%2Fb"],
  ["..", "..%2F"],
])("encodeName encodes %j as %j", (name, encoded) => {
  expect(encodeName(name)).toBe(encoded);
});

test.each(["a/b", "../x", "a/../../../n/ann/prod", "..", ".", "a/", "/a", "a//b", "%2e%2e/x", "..\\x", "\t../x"])(
  "URL parsers keep every part of the path of %j",
  (name) => {
    expect(new URL(at(name)).href).toBe(at(name));
    expect(straight(at(name))).toBe(at(name));
  },
);

test.each(["/b/ann/7/tags/..", "/b/./c", "/b/%2E%2e/c", "/b/.%2e?x", "https://ci.example.com/a/..#x", "/a/..\\b"])(
  "%s is refused, because URL parsers resolve it",
  (path) => {
    expect(() => straight(path)).toThrow("has a segment");
  },
);

test("a stream of a path that is refused is not tried at all", () => {
  let requests = 0;
  const fetch = async () => {
    requests++;
    return new Response();
  };
  const client = createClient({ url: "https://ci.example.com", fetch });
  expect(() => client.follow("/b/../output")).toThrow("has a segment");
  expect(() => client.follow("https://example.com/output")).toThrow("is not below");
  expect(requests).toBe(0);
});

test.each(["/b/...", "/b/.a/a..", "/b?x=/../", "https://ci.example.com/..a"])("%s is not refused", (path) => {
  expect(straight(path)).toBe(path);
});
