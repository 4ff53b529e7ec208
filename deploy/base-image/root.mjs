// Makes the archive of an image's system.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { sourcesOf } from "./mirror.mjs";
import { must } from "./must.mjs";
import { isRoot } from "./tools.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const excluded = ["doc", "info", "locale", "man"].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`);

/**
 * Makes the archive of a system from Debian's packages. It only lacks a boot loader.
 * @param {import("./recipes.mjs").Recipe} recipe
 * @param {string} dir a folder for intermediate files
 * @returns {Promise<string>} the archive
 */
export const makeRoot = async ({ suite, packages }, dir) => {
  const [files, root] = [join(dir, "files.tar"), join(dir, "root.tar")];
  // The result must not depend on the owners and modes of the files in the checkout.
  const asRoot = ["--owner=0", "--group=0", "--mode=u=rwX,go=rX"];
  await must("tar", ["-C", join(here, "files"), ...asRoot, "-cf", files, "."]);
  await must("mmdebstrap", [
    ...["--variant=minbase", "--architectures=amd64", `--mode=${isRoot ? "root" : "unshare"}`, "--format=tar"],
    ...[`--include=${packages.join(",")}`, '--aptopt=Acquire::Languages "none"'],
    ...[...excluded, "--dpkgopt=path-include=/usr/share/doc/*/copyright"],
    // The kernel's installation reads the list of modules from these files.
    `--essential-hook=tar-in ${quote(files)} /`,
    `--customize-hook=${readFileSync(join(here, "finish.sh"), "utf8")}`,
    ...[suite, root, ...(await sourcesOf(suite))],
  ]);
  return root;
};

/** @param {string} text */
const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;
