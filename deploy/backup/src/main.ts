import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { storedServices } from "@ci/kit/mongo/users";
import { backupConfig } from "@ci/kit/process/config";
import { backup, type Databases, type Options, type Saved } from "./backup.js";
import { backupAndKeep } from "./kept.js";
import { restore } from "./restore.js";

const owners: readonly string[] = storedServices;
interface Flags extends Options {
  /** How many backups a folder keeps. Without it, the folder is the backup. */
  readonly keep?: number;
}
type Command = (url: string, databases: Databases, dir: string, flags: Flags) => Promise<Saved & { dir?: string }>;
const commands: Readonly<Record<string, Command>> = {
  backup: (url, databases, dir, { keep }) =>
    keep === undefined ? backup(url, databases, dir) : backupAndKeep(url, databases, dir, keep),
  restore,
};

const usage = () =>
  new Error(
    "Usage: backup FOLDER [--keep NUMBER] [--database SERVICE=NAME ...], or restore FOLDER [--replace] [--database ...]",
  );

/** Reads the arguments. Databases are named `ci_<service>` unless `--database` names them. */
function read(argv: readonly string[]) {
  const options = {
    database: { type: "string", multiple: true },
    keep: { type: "string" },
    replace: { type: "boolean" },
  } as const;
  const { positionals, values } = parseArgs({ args: [...argv], allowPositionals: true, options });
  const [what = "", folder] = positionals;
  const work = commands[what];
  const named = (values.database ?? []).map((one) => one.split("="));
  if (!work || !folder || positionals.length > 2 || (values.replace && what !== "restore")) throw usage();
  if (values.keep !== undefined && (what !== "backup" || !/^[1-9]\d{0,3}$/.test(values.keep))) throw usage();
  if (!named.every(([service = "", name, more]) => owners.includes(service) && name && more === undefined))
    throw usage();
  const databases = Object.fromEntries([...owners.map((service) => [service, `ci_${service}`]), ...named]);
  const flags: Flags = { replace: values.replace, ...(values.keep && { keep: Number(values.keep) }) };
  return { what, work, dir: resolve(folder), databases: databases as Record<string, string>, flags };
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
  const { what, work, dir, databases, flags } = read(process.argv.slice(2));
  const saved = await work(backupConfig().mongoUrl, databases, dir, flags);
  process.stdout.write(`${resultOf(what, saved.dir ?? dir, saved)}\n`);
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
