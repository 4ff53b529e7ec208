import { lineOfPaths, nameComplaints, parseNamedPath, pathComplaints } from "./path.js";

const letters = "Namespace name can only contain letters and numbers";
const length = "Namespace name must be between 3 and 32 characters in length";
const depth = "Namespace cannot exceed depth of 20";

test.each([
  ["team", { elements: ["team"], owner: undefined }],
  ["team/Web2", { elements: ["team", "Web2"], owner: undefined }],
  ["team/web@bob", { elements: ["team", "web"], owner: "bob" }],
  ["team@", { elements: ["team"], owner: "" }],
  ["team@bob@eve", { elements: ["team"], owner: "bob@eve" }],
  ["@bob", { elements: [""], owner: "bob" }],
])("parseNamedPath %s", (text, named) => {
  expect(parseNamedPath(text)).toEqual(named);
});

test.each<[string, string[]]>([
  ["abc", []],
  [`a1Z/${"x".repeat(32)}`, []],
  [Array(20).fill("abc").join("/"), []],
  [Array(21).fill("abc").join("/"), [depth]],
  ["a-bc", [letters]],
  ["äbc", [letters]],
  ["abc def", [letters]],
  ["abc\n", [letters]],
  ["ab", [length]],
  ["x".repeat(33), [length]],
  ["", [length]],
  ["/abc", [length]],
  ["abc/", [length]],
  ["abc//def", [length]],
  ["a_", [letters, length]],
  ["abc/d_e/fg", [letters, length]],
  [Array(21).fill("-").join("/"), [letters, length, depth]],
])("pathComplaints %s", (path, complaints) => {
  expect(pathComplaints(path.split("/"))).toEqual(complaints);
});

test.each<[string, string[]]>([
  ["abc", []],
  ["x".repeat(32), []],
  ["", ["Name field required"]],
  ["ab", ["Name must be between 3 and 32 characters in length"]],
  ["x".repeat(33), ["Name must be between 3 and 32 characters in length"]],
  ["a/bc", ["Name can only have letters, and numbers"]],
  [" ", ["Name must be between 3 and 32 characters in length", "Name can only have letters, and numbers"]],
])("nameComplaints %j", (name, complaints) => {
  expect(nameComplaints(name)).toEqual(complaints);
});

test("lineOfPaths", () => {
  expect(lineOfPaths(["a", "b", "c"])).toEqual(["a", "a/b", "a/b/c"]);
});
