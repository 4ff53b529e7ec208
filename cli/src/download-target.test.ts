import { lstat, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { segmentsOf, targetOf } from "./download-target.js";

test.each(["../a", "a/../../b", "/etc/passwd", "a//b", ".", "a/.", "", "a\0b"])("%j is refused", (name) => {
  expect(() => segmentsOf(name)).toThrow("its name leads out of the folder");
});

test.each(["C:\\a", "a\\..\\..\\b", "a:b"])("%j is refused on Windows", (name) => {
  expect(() => segmentsOf(name, "win32")).toThrow("its name leads out of the folder");
  expect(segmentsOf(name, "linux")).toEqual([name]);
});

test("folders are made for an artifact, but none is reached through a link", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ci-target-"));
  try {
    const into = join(folder, "into");
    expect(await targetOf(into, "a/b/c.txt")).toBe(join(into, "a/b/c.txt"));
    expect((await lstat(join(into, "a/b"))).isDirectory()).toBe(true);
    await mkdir(join(folder, "outside"));
    await symlink(join(folder, "outside"), join(into, "link"));
    await expect(targetOf(into, "link/deep/c.txt")).rejects.toThrow("link is not a folder");
    await writeFile(join(folder, "file"), "");
    for (const wrong of ["file", "file/below"])
      await expect(targetOf(join(folder, wrong), "c.txt")).rejects.toThrow(`${wrong} is not a folder`);
  } finally {
    await rm(folder, { recursive: true });
  }
});
