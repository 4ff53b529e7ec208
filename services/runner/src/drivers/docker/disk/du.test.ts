import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sumOf, Unmeasurable } from "./du.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "du-"));
});
afterEach(() => rm(folder, { recursive: true }));

test("du sums up folders, however much it complains about files that have gone", async () => {
  await Promise.all(["a", "b"].map((name) => writeFile(join(folder, name), "")));
  const gone = Array.from({ length: 6_000 }, (_, n) => join(folder, `${n}`.padStart(200, "g")));
  expect(await sumOf("--inodes", [folder, ...gone], "/usr/bin:/bin")).toBe(3);
});

test("a du without the option returns nothing, and one that was killed throws", async () => {
  const du = (script: string) => writeFile(join(folder, "du"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  expect(await sumOf("--inodes", [folder], folder)).toBeUndefined();
  await du("exit 1");
  expect(await sumOf("--inodes", [folder], folder)).toBeUndefined();
  await du("kill -9 $$");
  await expect(sumOf("--inodes", [folder], folder)).rejects.toThrow(Unmeasurable);
});
