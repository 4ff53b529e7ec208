// Generates code from proto/ and compiles TypeScript. A repeated build does only what has changed.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runBin } from "../test/steps.mjs";
import { cacheDir, repoRoot, run } from "./machine.mjs";

const generated = join(repoRoot, "libs/proto/src/gen");
const stamp = join(cacheDir, "generated-from");

/** Returns one hash of everything that the generated code depends on. */
const sourceHash = () => {
  const hash = createHash("sha256");
  const proto = join(repoRoot, "proto");
  const files = readdirSync(proto, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".proto"));
  const paths = [...files.sort().map((name) => join(proto, name)), join(repoRoot, "buf.gen.yaml")];
  for (const path of paths) hash.update(path.slice(repoRoot.length)).update(readFileSync(path));
  return hash.digest("hex");
};

const everything = () => [...readdirSync(join(repoRoot, "services")).map((name) => join("services", name)), "cli"];

/**
 * Builds the web page, if it has changed.
 * @throws {Error} after the bundler has printed its errors
 */
export const buildWeb = async () => {
  const { code } = await run(process.execPath, [join(repoRoot, "web/build.mjs")], { stdio: "inherit" });
  if (code !== 0) throw new Error("The web page cannot be built.");
};

/**
 * Compiles packages, by default all services and the command line, with everything that they depend on.
 * @param {string[]} packages folders with a tsconfig.json
 * @throws {Error} after the compiler has printed its errors
 */
export const build = async (packages = everything()) => {
  const hash = sourceHash();
  const upToDate = existsSync(generated) && existsSync(stamp) && readFileSync(stamp, "utf8") === hash;
  if (!upToDate) {
    if ((await runBin(["buf", "generate"])) !== 0) throw new Error("buf generate failed.");
    mkdirSync(cacheDir, { recursive: true });
    writeFileSync(stamp, hash);
  }
  if ((await runBin(["tsc", "-b", ...packages])) !== 0) throw new Error("The code does not compile.");
};
