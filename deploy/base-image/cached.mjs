// Makes the image for tests once for each version of this folder, and caches it.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheDir, installPackages, lastLine, mayInstallPackages, run, withLock } from "../local/provision/machine.mjs";
import { missingPackages, whyNot } from "./tools.mjs";

const folder = join(cacheDir, "base-images");
const here = dirname(fileURLToPath(import.meta.url));

/**
 * Returns the image debian-12: the file in CI_BASE_IMAGE, or with `make` the cached one, which takes minutes to make. So
 * it is not made by default.
 * @returns {Promise<{ file: string } | { reason: string }>}
 */
export const baseImage = async () => {
  const wanted = process.env.CI_BASE_IMAGE;
  if (!wanted) return { reason: "CI_BASE_IMAGE=make is not set" };
  if (wanted !== "make") return { file: wanted };
  const file = join(folder, `debian-12-${hashOfFolder(here)}.qcow2`);
  return existsSync(file) ? { file } : withLock("base-image", async () => (existsSync(file) ? { file } : make(file)));
};

/** @param {string} dir */
const hashOfFolder = (dir) => {
  const hash = createHash("sha256");
  for (const name of readdirSync(dir, { recursive: true, encoding: "utf8" }).sort()) {
    const path = join(dir, name);
    if (statSync(path).isFile()) hash.update(`${name}\0`).update(readFileSync(path)).update("\0");
  }
  return hash.digest("hex").slice(0, 12);
};

/** @param {string} file @returns {Promise<{ file: string } | { reason: string }>} */
const make = async (file) => {
  const packages = process.platform === "linux" ? missingPackages() : [];
  const refusal = packages.length > 0 && mayInstallPackages() ? await installPackages(packages) : undefined;
  const reason = refusal ?? whyNot();
  if (reason) return { reason };
  console.log("Making an image of Debian for virtual machines ...");
  rmSync(folder, { recursive: true, force: true });
  const { code, stderr } = await run(process.execPath, [join(here, "make.mjs"), "debian-12", file]);
  return code === 0 ? { file } : { reason: lastLine(stderr) };
};
