import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unprovenImages } from "./pulled.js";

test("an image that an earlier version stored under another spelling is unproven", async () => {
  const folder = await mkdtemp(join(tmpdir(), "unproven-test-"));
  await writeFile(join(folder, "unproven-images.json"), JSON.stringify(["docker.io/library/x:1", "quay.io/a/y:2"]));
  const unproven = unprovenImages(folder);
  for (const name of ["x:1", "quay.io/a/y:2"]) expect(await unproven.has(name)).toBe(true);
  await rm(folder, { recursive: true });
});
