// Builds the web page into web/dist: index.html, a script and a style sheet, these two also compressed.
//   node web/build.mjs
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

const root = import.meta.dirname;
const dist = join(root, "dist");
const stamp = join(dist, "built-from");
const client = join(root, "../client/src");

/** Returns one hash of everything that the page is made of. */
const sourceHash = () => {
  const hash = createHash("sha256");
  const files = [join(root, "src"), client].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(tsx?|css)$/.test(name) && !name.includes(".test."))
      .sort()
      .map((name) => join(folder, name)),
  );
  const own = ["index.html", "build.mjs", "package.json", "../pnpm-lock.yaml"].map((name) => join(root, name));
  for (const file of [...own, ...files]) hash.update(file.slice(root.length)).update(readFileSync(file));
  return hash.digest("hex");
};

const hash = sourceHash();
if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== hash) {
  const { build } = await import("vite");
  await build({
    root,
    configFile: false,
    // The gateway puts the path of the public URL before the assets.
    base: "./",
    logLevel: "warn",
    resolve: { alias: { "@service-ci/client": join(client, "index.ts") } },
    build: { assetsDir: "-/assets", assetsInlineLimit: 0, modulePreload: false, sourcemap: false, emptyOutDir: true },
  });
  const assets = join(dist, "-/assets");
  for (const name of readdirSync(assets)) {
    const content = readFileSync(join(assets, name));
    writeFileSync(join(assets, `${name}.gz`), gzipSync(content, { level: 9 }));
    writeFileSync(join(assets, `${name}.br`), brotliCompressSync(content));
  }
  writeFileSync(stamp, hash);
}
