import { readFileSync } from "node:fs";
import { join } from "node:path";

const page = readFileSync(join(__dirname, "../../../docs/operating/limits.md"), "utf8");

test("what a gateway holds for its clients, its heap and 40 MiB for all else fit into the chart's limit together", () => {
  const [, left] = /\| left for code, threads and connections \| (-?\d+) \|/.exec(page) ?? [];
  expect(Number(left)).toBeGreaterThanOrEqual(40);
});
