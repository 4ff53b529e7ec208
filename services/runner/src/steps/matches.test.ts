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

test("other work has its turn each time a thousand more files match", async () => {
  const found = matchesOf("*", { environment: listing(numbered(20_000, "")), signal });
  expect(await turnsDuring(found)).toBeGreaterThan(18);
});

test("a path that is too long to be opened is no match", async () => {
  const [long, longer] = ["a/".repeat(2_000), "a/".repeat(2_050)];
  const found = (source: string) => matchesOf(source, { environment: listing([`${long}x`, `${longer}x`]), signal });
  expect(await found("**/*")).toEqual([`${long}x`]);
  expect(await found(`${"b".repeat(100)}/**/*`)).toEqual([]);
});
