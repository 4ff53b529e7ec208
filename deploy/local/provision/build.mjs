// Turns the source into what runs: generated code and JavaScript. A repeated build does only what has changed.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runBin } from "../test/steps.mjs";
import { cacheDir, repoRoot } from "./machine.mjs";

const generated = join(repoRoot, "libs/proto/src/gen");
const stamp = join(cacheDir, "generated-from");

/** What the generated code depends on, as one hash. */
const sourceHash = () => {
  const hash = createHash("sha256");
  const proto = join(repoRoot, "proto");
  const files = readdirSync(proto, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".proto"));
  const paths = [...files.sort().map((name) => join(proto, name)), join(repoRoot, "buf.gen.yaml")];
  for (const path of paths) hash.update(path.slice(repoRoot.length)).update(readFileSync(path));
  return hash.digest("hex");
};

/**
 * Builds all services.
 * @throws {Error} after the compiler has said what is wrong
 */
export const build = async () => {
  const hash = sourceHash();
  const fresh = existsSync(generated) && existsSync(stamp) && readFileSync(stamp, "utf8") === hash;
  if (!fresh) {
    if ((await runBin(["buf", "generate"])) !== 0) throw new Error("buf generate failed.");
    mkdirSync(cacheDir, { recursive: true });
    writeFileSync(stamp, hash);
  }
  const services = readdirSync(join(repoRoot, "services")).map((name) => join("services", name));
  if ((await runBin(["tsc", "-b", ...services])) !== 0) throw new Error("The services do not compile.");
};
