import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const dist = join(__dirname, "../dist");
const assets = join(dist, "-/assets");
const maxBytes = 90 * 1024;
const names = existsSync(assets) ? readdirSync(assets) : [];

test("the first page takes at most 90 kB on the wire", () => {
  const loaded = [
    join(dist, "index.html"),
    ...names.filter((name) => /\.(js|css)$/.test(name)).map((name) => join(assets, name)),
  ];
  expect(loaded.length).toBeGreaterThan(2);
  const bytes = loaded.map((file) => gzipSync(readFileSync(file)).length).reduce((a, b) => a + b, 0);
  expect(bytes).toBeLessThanOrEqual(maxBytes);
});

test("every asset is also there in both compressed forms, and no source map is", () => {
  for (const name of names.filter((name) => /\.(js|css)$/.test(name)))
    expect(names).toEqual(expect.arrayContaining([`${name}.gz`, `${name}.br`]));
  expect(names.filter((name) => !/^[\w-]+\.(js|css)(\.gz|\.br)?$/.test(name))).toEqual([]);
});

test("the page has no script and no style of its own, and loads nothing from elsewhere", () => {
  const html = readFileSync(join(dist, "index.html"), "utf8");
  expect(html).not.toMatch(/<script(?![^>]* src=)|<style|style=|\bon\w+=/);
  expect(html.replaceAll("http://www.w3.org/2000/svg", "").replaceAll("'http:", "")).not.toMatch(/https?:\/\//);
});
