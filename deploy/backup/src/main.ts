import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { storedServices } from "@ci/kit/mongo/users";
import { backupConfig } from "@ci/kit/process/config";
import { backup, type Databases, type Options, type Saved } from "./backup.js";
import { restore } from "./restore.js";

const owners: readonly string[] = storedServices;
type Command = (mongoUrl: string, databases: Databases, dir: string, options: Options) => Promise<Saved>;
const commands: Readonly<Record<string, Command>> = { backup, restore };

const usage = () =>
  new Error("Usage: backup FOLDER [--database SERVICE=NAME ...], or restore FOLDER [--replace] [--database ...]");

/** Reads the arguments. Databases are named `ci_<service>` unless `--database` names them. */
function read(argv: readonly string[]) {
  const options = { database: { type: "string", multiple: true }, replace: { type: "boolean" } } as const;
  const { positionals, values } = parseArgs({ args: [...argv], allowPositionals: true, options });
  const [what = "", folder] = positionals;
  const work = commands[what];
  const named = (values.database ?? []).map((one) => one.split("="));
  if (!work || !folder || positionals.length > 2 || (values.replace && what !== "restore")) throw usage();
  if (!named.every(([service = "", name, more]) => owners.includes(service) && name && more === undefined))
    throw usage();
  const databases = Object.fromEntries([...owners.map((service) => [service, `ci_${service}`]), ...named]);
  return { what, work, dir: resolve(folder), databases: databases as Record<string, string>, replace: values.replace };
}

function resultOf(what: string, dir: string, { at, documents, gone = 0, snapshot = true }: Saved): string {
  const of = `${documents} documents of ${at.toISOString()}`;
  if (what === "restore") return `Restored ${of}. The services may start.`;
  const missing = gone > 0 ? ` ${gone} stored files were deleted meanwhile: their content is missing.` : "";
  const warning = snapshot
    ? ""
    : " MongoDB is not a replica set and has no snapshots: this backup is consistent only if nothing was written meanwhile.";
  return `Saved ${of} to ${dir}.${missing}${warning}`;
}

async function main(): Promise<void> {
  const { what, work, dir, databases, replace } = read(process.argv.slice(2));
  const saved = await work(backupConfig().mongoUrl, databases, dir, { replace });
  process.stdout.write(`${resultOf(what, dir, saved)}\n`);
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
