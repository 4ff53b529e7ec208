import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { takeName } from "./run-name.js";

let workDir: string;
beforeEach(async () => {
  workDir = await mkdtemp(join(tmpdir(), "run-name-"));
});
afterEach(() => rm(workDir, { recursive: true }));

test("users with equal work folders have different names, and the runs of one user have different numbers", async () => {
  const of = (user: string) => ({ workDir, cacheDir: join(workDir, user, "cache") });
  using first = await takeName(of("ann"));
  const own = /^(ci-run-[0-9a-f]{8})-1$/.exec(first.name)![1];
  using second = await takeName(of("ann"));
  expect(second.name).toBe(`${own}-2`);
  using others = await takeName(of("bob"));
  expect(others.name).toMatch(/-1$/);
  expect(others.name).not.toBe(`${own}-1`);
});

test("a name is free again when its run has ended", async () => {
  const config = { workDir, cacheDir: join(workDir, "cache") };
  const first = await takeName(config);
  first[Symbol.dispose]();
  using again = await takeName(config);
  expect(again.name).toBe(first.name);
});
