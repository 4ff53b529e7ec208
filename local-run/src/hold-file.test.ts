import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { holdFile } from "./hold-file.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hold-file-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** Leaves the socket file of a killed process. */
async function killedHolder(name: string): Promise<void> {
  const script = 'require("node:net").createServer().listen(process.argv[1], () => console.log("listens"))';
  const child = spawn(process.execPath, ["-e", script, join(folder, name)], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await once(child, "exit");
}

test("one process at a time holds a name", async () => {
  const first = await holdFile(folder, "a");
  const other = await holdFile(folder, "b");
  expect(other).toBeDefined();
  expect(await holdFile(folder, "a")).toBeUndefined();
  await new Promise((resolve) => first!.close(resolve));
  expect(await readdir(folder)).toEqual(["b.1"]);
  const again = await holdFile(folder, "a");
  expect(again).toBeDefined();
  for (const server of [other, again]) server!.close();
});

test("of several that find the file of a killed holder, one takes over", async () => {
  await killedHolder("a.7");
  const all = await Promise.all(Array.from({ length: 20 }, () => holdFile(folder, "a")));
  const held = all.filter((server) => server !== undefined);
  expect(held).toHaveLength(1);
  expect(await readdir(folder)).toEqual(["a.8"]);
  held[0]!.close();
});
