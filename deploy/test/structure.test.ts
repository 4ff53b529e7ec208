import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { deployDir } from "./_compose.js";

const file = JSON.stringify(pathToFileURL(join(deployDir, "local/test/structure.mjs")).href);

/** Returns what `npm run check` finds as the longest function of a source. */
function longestOf(text: string): unknown {
  const script = `
    const { longestFunction } = await import(${file});
    console.log(JSON.stringify(longestFunction({ path: "some.ts", text: process.argv[1] })));`;
  const args = ["--input-type=module", "-e", script, text];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
}

test.each([
  ["a function", "function some() {", "}"],
  ["a function as a value", "const some = function () {", "};"],
  ["an arrow function", "const some = () => {", "};"],
  ["a constructor", "class Some { constructor() {", "} }"],
  ["a method", "class Some { some() {", "} }"],
  ["a static method", "class Some { static some() {", "} }"],
  ["a private method", "class Some { #some() {", "} }"],
  ["a getter", "class Some { get some() {", "} }"],
  ["a setter", "class Some { set some(value) {", "} }"],
  ["a method of an object", "const some = { some() {", "} };"],
  ["a getter of an object", "const some = { get some() {", "} };"],
  ["a setter of an object", "const some = { set some(value) {", "} };"],
])("the length of %s counts", (_what, begin, end) => {
  const text = `// A file.\nconst short = () => {\n};\n${begin}\n  first();\n  second();\n${end}\n`;
  expect(longestOf(text)).toEqual({ path: "some.ts", line: 4, lines: 4 });
});
