import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pulledImages, unprovenImages } from "./pulled.js";

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "unproven-test-"));
  file = join(folder, "unproven-images.json");
});
afterEach(() => rm(folder, { recursive: true }));

test("an image that an earlier version stored under another spelling is unproven", async () => {
  await writeFile(file, JSON.stringify(["docker.io/library/x:1", "quay.io/a/y:2"]));
  const unproven = unprovenImages(folder);
  for (const name of ["x:1", "quay.io/a/y:2"]) expect(await unproven.has(name)).toBe(true);
});

test.each(["", "[", "{}"])("no image is proven while the file is %j, and nothing replaces it", async (text) => {
  await writeFile(file, text);
  const unproven = unprovenImages(folder);
  await expect(unproven.has("x:1")).rejects.toThrow("The runner cannot read which images need a login");
  await expect(unproven.add("x:2")).rejects.toThrow("The runner cannot read which images need a login");
  await unproven.remove("x:1");
  expect(await readFile(file, "utf8")).toBe(text);
  await rm(file);
  expect(await unproven.has("x:1")).toBe(false);
  await unproven.add("x:2");
  expect(await unprovenImages(folder).has("x:2")).toBe(true);
});

test("images are pulled again if the list of those that were pulled cannot be read", async () => {
  await writeFile(join(folder, "pulled-images.json"), "[");
  const pulled = pulledImages(folder);
  expect(await pulled.has("x:1")).toBe(false);
  await pulled.add("x:2");
  expect(await pulledImages(folder).has("x:2")).toBe(true);
});
