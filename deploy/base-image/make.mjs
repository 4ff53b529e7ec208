// `npm run image`: makes an image for virtual machines from a distribution's packages.
//   npm run image -- debian-12 [FILE] [--base] [--add PACKAGE,...]
// FILE is NAME.qcow2 in the current folder by default. --base makes a base image for the runner of `npm start`, or for the
// runner with the given RUNNER_IMAGES_DIR or RUNNER_DIR. --add installs more packages.
import { chmodSync, chownSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { makeDisk } from "./disk.mjs";
import { baseFolder } from "./folder.mjs";
import { recipes } from "./recipes.mjs";
import { makeRoot } from "./root.mjs";
import { whyNot } from "./tools.mjs";

const usage = `Usage: npm run image -- NAME [FILE] [--base] [--add PACKAGE,...]; names are ${Object.keys(recipes).join(", ")}`;

/** Reads the arguments. @throws {Error} with the usage */
const readArguments = () => {
  const { values, positionals } = parse();
  const [name = "", file, ...more] = positionals;
  const recipe = Object.hasOwn(recipes, name) && recipes[name];
  if (!recipe || more.length > 0 || (file && values.base)) throw new Error(usage);
  const added = (values.add ?? []).flatMap((names) => names.split(","));
  const to = values.base ? join(baseFolder(), name) : resolve(file ?? `${name}.qcow2`);
  return { name, recipe: { ...recipe, packages: [...recipe.packages, ...added] }, to };
};

const parse = () => {
  try {
    return parseArgs({
      options: { base: { type: "boolean" }, add: { type: "string", multiple: true } },
      allowPositionals: true,
    });
  } catch (error) {
    throw new Error(`${/** @type {Error} */ (error).message}\n${usage}`);
  }
};

/** Makes the folder of a file. Under sudo, both belong to the user who called sudo. @param {string} to */
const makeFolder = (to) => {
  const first = mkdirSync(dirname(to), { recursive: true });
  for (let made = dirname(to); first?.length && made.length >= first.length; made = dirname(made)) giveBack(made);
};

/** @param {string} path */
const giveBack = (path) => {
  const { SUDO_UID, SUDO_GID } = process.env;
  if (process.getuid?.() === 0 && SUDO_UID && SUDO_GID) chownSync(path, Number(SUDO_UID), Number(SUDO_GID));
};

const make = async () => {
  const { name, recipe, to } = readArguments();
  const reason = whyNot();
  if (reason) throw new Error(reason);
  const dir = mkdtempSync(join(tmpdir(), "service-ci-image-"));
  const part = `${to}.part`;
  process.once("exit", () => {
    for (const path of [part, dir]) rmSync(path, { recursive: true, force: true });
  });
  makeFolder(to);
  console.log(`Making ${name} from Debian's packages (some 150 MB). This takes a minute or two ...`);
  await makeRoot(recipe, dir);
  console.log("Making its disk ...");
  await makeDisk(dir, part);
  chmodSync(part, 0o644);
  giveBack(part);
  renameSync(part, to);
  console.log(`${to}: ${(statSync(to).size / 1e6).toFixed(0)} MB`);
};

// process.exit also deletes incomplete files.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));
// Debian has some of the programs in folders that are not on every user's PATH.
process.env.PATH = `${process.env.PATH}:/usr/sbin:/sbin`;
await make().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
