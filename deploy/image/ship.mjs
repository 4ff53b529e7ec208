// Puts one service with its libraries, and nothing else, into a folder for its image:
//   node deploy/image/ship.mjs SERVICE FOLDER PNPM
// The same sources produce the same folder: it contains no times, no logs and no installer's records.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, lutimesSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const [service = "", folder = "", pnpm = ""] = process.argv.slice(2);
const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const known = readdirSync(join(root, "services"));
if (!known.includes(service)) throw new Error(`SERVICE must be one of ${known.join(", ")}, not "${service}"`);

/** In every image beside its service: the preload for traces, and the commands for backups and certificates. */
const extras = ["deploy/otel", "deploy/backup", "deploy/certificates"];

/** The workspace's own packages, by name. */
const packages = new Map(
  ["libs", "services"]
    .flatMap((group) => readdirSync(join(root, group)).map((name) => `${group}/${name}`))
    .concat(extras)
    .map((path) => [JSON.parse(readFileSync(join(root, path, "package.json"), "utf8")).name, path]),
);

/** Returns the folders of a package and of the workspace packages that it needs. @param {string} path @returns {Set<string>} */
const withNeeds = (path, found = new Set()) => {
  found.add(path);
  const { dependencies = {} } = JSON.parse(readFileSync(join(root, path, "package.json"), "utf8"));
  for (const name of Object.keys(dependencies)) {
    const needed = packages.get(name);
    if (needed && !found.has(needed)) withNeeds(needed, found);
  }
  return found;
};

/** Parts of a package that do not ship. */
const notShipped = new Set(["src", "test", "node_modules", "tsconfig.json"]);

mkdirSync(folder, { recursive: true });
const forInstaller = ["package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml", ".npmrc", "patches"];
for (const name of forInstaller) cpSync(join(root, name), join(folder, name), { recursive: true });
// The installer needs every package of the lockfile.
for (const path of packages.values()) cpSync(join(root, path, "package.json"), join(folder, path, "package.json"));
const needed = new Set([`services/${service}`, ...extras].flatMap((path) => [...withNeeds(path)]));
for (const path of needed)
  for (const name of readdirSync(join(root, path)))
    if (!notShipped.has(name)) cpSync(join(root, path, name), join(folder, path, name), { recursive: true });
if (service === "gateway") cpSync(join(root, "web/dist"), join(folder, "web/dist"), { recursive: true });

const args = ["--yes", pnpm, "install", "--prod", "--frozen-lockfile", "--offline", "--filter", `@ci/${service}...`];
args.push("--filter", "@ci/otel", "--filter", "@ci/backup...", "--filter", "@ci/certificates");
const { status } = spawnSync("npx", args, { cwd: folder, stdio: "inherit" });
if (status !== 0) throw new Error("The packages could not be installed");

for (const path of packages.values()) if (!needed.has(path)) rmSync(join(folder, path), { recursive: true });
for (const name of forInstaller) rmSync(join(folder, name), { recursive: true });
for (const file of [".modules.yaml", ".pnpm-workspace-state-v1.json", ".pnpm/lock.yaml"])
  rmSync(join(folder, "node_modules", file), { force: true });
const mongo = ["mongo.cjs", "mongo-members.cjs", "mongo-ready.cjs"];
for (const helper of ["health.cjs", ...mongo, "nats.cjs", "nats-reload.cjs", "try.cjs"])
  cpSync(join(root, "deploy/image", helper), join(folder, helper));

/** Files that Node does not read at run time: types, source maps, documentation. */
const unused = /\.(d\.[cm]?ts|[cm]?ts|map|md|markdown|tsbuildinfo)$/i;
const isLicence = /licen[cs]e|notice|copying/i;

/** Removes unused files and sets all times to the same value. @param {string} path */
const normalize = (path) => {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const one = join(path, entry.name);
    if (entry.isDirectory()) normalize(one);
    else if (entry.isFile() && unused.test(entry.name) && !isLicence.test(entry.name)) rmSync(one);
    else lutimesSync(one, 0, 0);
  }
  lutimesSync(path, 0, 0);
};
normalize(folder);
if (!existsSync(join(folder, "services", service, "dist/main.js"))) throw new Error("There is no dist/main.js");
