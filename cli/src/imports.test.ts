import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const importLine = /^(?:import|export) (?!type )[^;]*? from "([^"]+)";/gm;

/** Returns the packages that a file and everything that it imports statically load. */
function packagesOf(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const names = [...readFileSync(file, "utf8").matchAll(importLine)].map(([, name]) => name!);
  return names.flatMap((name) =>
    name.startsWith(".") ? packagesOf(join(dirname(file), name.replace(/\.js$/, ".ts")), seen) : [name],
  );
}

test("before the module of a command, only the parser is loaded", () => {
  const packages = packagesOf(join(__dirname, "main.ts")).filter((name) => !name.startsWith("node:"));
  expect([...new Set(packages)]).toEqual(["commander"]);
  expect(packagesOf(join(__dirname, "commands/list.ts"))).toContain("@service-ci/client");
});
