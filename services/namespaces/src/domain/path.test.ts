import { lineOfPaths, nameComplaints, parseNamedPath, pathComplaints } from "./path.js";

const characters =
  "can only contain letters, numbers, dots, dashes, and underscores, and begin with a letter or number";
const length = "cannot be longer than 64 characters in length";
const malformed = (path: string): [string, string[]] => [path, [`Namespace name ${characters}`]];
const depth = "Namespace cannot exceed depth of 20";

test.each([
  ["team", { elements: ["team"], owner: undefined }],
  ["team/Web2", { elements: ["team", "Web2"], owner: undefined }],
  ["team/web@bob", { elements: ["team", "web"], owner: "bob" }],
  ["team@", { elements: ["team"], owner: "" }],
  ["team@bob@eve", { elements: ["team"], owner: "bob@eve" }],
  ["@bob", { elements: [""], owner: "bob" }],
])("splits %s into elements and owner", (text, named) => {
  expect(parseNamedPath(text)).toEqual(named);
});

test.each<[string, string[]]>([
  ["a", []],
  ["submit/to/namespace", []],
  ["0/A.b_c-d/z.", []],
  [`a1Z/${"x".repeat(64)}`, []],
  [Array(20).fill("abc").join("/"), []],
  [Array(21).fill("abc").join("/"), [depth]],
  ...["", "/abc", "abc/", "abc//def", "-", "_a", ".a", "a/..", "a/.", "abc/-/keys"].map(malformed),
  ...["äbc", "abc def", "abc\n", "a\u0000", "a%", "a:b", "a\\b", "a/b@c"].map(malformed),
  ["x".repeat(65), [`Namespace name ${length}`]],
  [`${"x".repeat(64)}é/a`, [`Namespace name ${characters}`, `Namespace name ${length}`]],
  [Array(21).fill("-").join("/"), [`Namespace name ${characters}`, depth]],
])("checks the path %j", (path, complaints) => {
  expect(pathComplaints(path.split("/"))).toEqual(complaints);
});

test.each<[string, string[]]>([
  ["a", []],
  ["9-lives.v2_", []],
  ["x".repeat(64), []],
  ["", ["Name field required"]],
  ["x".repeat(65), [`Name ${length}`]],
  ...["a/bc", " ", "-a", ".", "..", "_"].map((name): [string, string[]] => [name, [`Name ${characters}`]]),
  ["-".repeat(65), [`Name ${length}`, `Name ${characters}`]],
])("checks the name %j", (name, complaints) => {
  expect(nameComplaints(name)).toEqual(complaints);
});

test("lineOfPaths returns the paths of all ancestors and the namespace itself", () => {
  expect(lineOfPaths(["a", "b", "c"])).toEqual(["a", "a/b", "a/b/c"]);
});
