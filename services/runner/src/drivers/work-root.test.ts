import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { workRoot } from "./work-root.js";

test.each(["", '{"pid":', "null", "[]", '{"pid":"1","startTime":2}'])(
  "workRoot replaces a runner.json of %p",
  async (text) => {
    const dir = await mkdtemp(join(tmpdir(), "work-root-test-"));
    const { path } = await workRoot(dir, "name");
    await writeFile(join(path, "runner.json"), text);
    await workRoot(dir, "name");
    expect(JSON.parse(await readFile(join(path, "runner.json"), "utf8"))).toMatchObject({ pid: process.pid });
    expect(await readdir(path)).toEqual(["runner.json"]);
    await rm(dir, { recursive: true });
  },
);
