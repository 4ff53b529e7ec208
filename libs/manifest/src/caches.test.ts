import { readManifest } from "./manifest.js";

const limits = { maxBytes: 1024 * 1024, maxStages: 10, maxJobs: 10 };
const read = (cache: string) => readManifest(`driver: {type: os}\ncache:\n${cache}\n`, limits);

function complaintsOf(cache: string): string[] {
  const reading = read(cache);
  return reading.complaints.map(({ message }) => message);
}

test("reads caches and normalizes their paths", () => {
  const reading = read(
    "- {name: npm, key: [./a/../package-lock.json], paths: [node_modules/, ~/.npm, ./node_modules]}",
  );
  expect("manifest" in reading && reading.manifest.caches).toEqual([
    { name: "npm", key: ["package-lock.json"], paths: ["node_modules", "~/.npm"] },
  ]);
});

test("a manifest without caches has none", () => {
  const reading = read("");
  expect("manifest" in reading && reading.manifest.caches).toEqual([]);
});

test.each(["/etc", "../x", "a/../../x", "~/../x", "~", "~/", ".", "./", "~root/x"])("refuses to keep %s", (path) => {
  expect(complaintsOf(`- {name: n, paths: [${path}]}`)[0]).toMatch(
    /^Manifest line 3, column 21: paths ".*" must lie in the working directory or below ~\/$/s,
  );
});

test.each([
  ['- {name: n, paths: ["a\\nb"]}', "Manifest line 3, column 21: paths cannot have control characters"],
  ["- {paths: [a]}", "Manifest line 3, column 3: a cache must have a name"],
  ["- {name: n}", 'Manifest line 3, column 3: cache "n" must have paths'],
  ["- {name: n, paths: [a]}\n- {name: n, paths: [a]}", 'Manifest line 4, column 10: there is another cache "n"'],
  [`- {name: ${"n".repeat(101)}, paths: [a]}`, "the name of a cache cannot be longer than 100 characters"],
  ["- {name: n, path: a}", 'Manifest line 3: unknown key "path" in a cache; did you mean "paths"?'],
])("refuses %s", (cache, complaint) => {
  expect(complaintsOf(cache).join("\n")).toContain(complaint);
});

test("limits caches and their paths", () => {
  const many = Array.from({ length: 21 }, (_, index) => `- {name: n${index}, paths: [a]}`).join("\n");
  expect(complaintsOf(many)).toEqual(["Manifest line 23, column 3: cannot have more than 20 caches"]);
  const paths = Array.from({ length: 51 }, (_, index) => `p${index}`).join();
  expect(complaintsOf(`- {name: n, paths: [${paths}]}`)[0]).toContain("paths cannot have more than 50");
});
