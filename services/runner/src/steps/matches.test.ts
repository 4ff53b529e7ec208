import { turnsDuring } from "@ci/testkit/turns-during";
import type { Environment } from "../driver.js";
import { matchesOf } from "./matches.js";

const { signal } = new AbortController();

/** Lists these paths at once. */
const listing = (paths: readonly string[]): Pick<Environment, "list"> => ({
  async *list() {
    for (const path of paths) yield { path, kind: "file" as const };
  },
});

const numbered = (count: number, folder: string) => Array.from({ length: count }, (_, index) => `${folder}${index}`);

test("the first 1000 matches by the bytes of their names are used", async () => {
  const paths = ["\u{1f600}", "\uffee", ...numbered(12_000, "a")];
  const found = await matchesOf("*", { environment: listing(paths), signal });
  expect(found).toEqual(numbered(12_000, "a").sort().slice(0, 1_000));
  expect(await matchesOf("?*", { environment: listing(paths.slice(0, 3)), signal })).toEqual([
    "a0",
    paths[1],
    paths[0],
  ]);
});

test("other work has its turn while many files are matched, more often for long paths", async () => {
  const turnsFor = (folder: string) =>
    turnsDuring(matchesOf("**/none", { environment: listing(numbered(5_000, folder)), signal }));
  const few = await turnsFor("some/folder/with/a/path/of/normal/length/");
  expect(few).toBeGreaterThan(5);
  expect(await turnsFor("a/".repeat(500))).toBeGreaterThan(1_000);
});
