import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openCopies } from "./copies.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "copies-"));
});
afterEach(() => rm(folder, { recursive: true }));

test("of many small copies, those used last stay", async () => {
  const nameOf = (nth: number) => `${String(nth).padStart(64, "0")}.tar`;
  for (let nth = 0; nth < 1_003; nth++) {
    const path = join(folder, nameOf(nth));
    await writeFile(path, "small");
    await utimes(path, nth, nth);
  }
  const copies = await openCopies(folder, 1024 ** 3);
  await (await copies.open(nameOf(0).slice(0, -4)))!.close();
  await copies.trim();
  const left = (await readdir(folder)).sort();
  expect([left.length, ...left.slice(0, 2)]).toEqual([1_000, nameOf(0), nameOf(4)]);
});
