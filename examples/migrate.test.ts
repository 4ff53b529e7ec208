import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readManifest } from "@ci/manifest/manifest";

const limits = { maxBytes: 1024 * 1024, acceptedDrivers: ["docker"], maxStages: 100, maxJobs: 500 };
const driver = "driver: {type: docker, image: a, workspace: /work}";
const page = readFileSync(join(__dirname, "../docs/migrate.md"), "utf8");

const blocks = [...page.matchAll(/^```yaml\n(.+?)^```/gms)].map(([, text]) => text!);
const cells = [...page.matchAll(/ \| `([^|]+)` \|$/gm)].map(([, text]) => text!);

/** Adds a driver to a part of a manifest that has none. */
function wholeOf(part: string): string {
  if (part.includes("driver:")) return part;
  return part.startsWith("{") ? `{${driver}, ${part.slice(1)}` : `${driver}\n${part}`;
}

test("every example of the page is read", () => {
  const rows = page.split("\n").filter((line) => line.startsWith("| ") && line.split(" | ").at(-1)!.startsWith("`"));
  expect([blocks.length > 0, cells.length]).toEqual([true, rows.length]);
});

test.each([...blocks, ...cells])("%s is a part of a valid manifest", (part) => {
  expect(readManifest(wholeOf(part), limits).complaints).toEqual([]);
});
