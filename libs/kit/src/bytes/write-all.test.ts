import { execFileSync } from "node:child_process";
import { constants } from "node:fs";
import { mkdtemp, open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeAll } from "./write-all.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "write-all-"));
});
afterEach(() => rm(folder, { recursive: true }));

test("bytes are written one after another, or at a position", async () => {
  const path = join(folder, "file");
  const file = await open(path, "w");
  for (const text of ["abc", "", "def"]) await writeAll(file, Buffer.from(text));
  await writeAll(file, Buffer.from("x"), 1);
  await file.close();
  expect(await readFile(path, "utf8")).toBe("axcdef");
});

test("a file that stores only a part of the bytes fails", async () => {
  const path = join(folder, "pipe");
  execFileSync("mkfifo", [path]);
  const pipe = await open(path, constants.O_RDWR | constants.O_NONBLOCK);
  const written = writeAll(pipe, Buffer.alloc(4 * 1024 ** 2)).finally(() => pipe.close());
  await expect(written).rejects.toMatchObject({ code: "EAGAIN" });
});
