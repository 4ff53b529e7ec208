import { createHash, randomUUID } from "node:crypto";
import { mkdir, readFile, readlink, rename, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { type WorkRoot, workRoot } from "@ci/runner/drivers/work-root";
import type { LocalConfig } from "./config.js";
import { holdFile, listening } from "./hold-file.js";
import { Refused } from "./refused.js";

/** The name of a run, and the folder that belongs to it. */
interface RunName extends Disposable {
  readonly name: string;
  readonly root: WorkRoot;
}

const maxRuns = 64;
const isLinux = process.platform === "linux";

/** Returns a random id that is kept in a folder. It tells users of one engine apart. */
async function idIn(folder: string): Promise<string> {
  const file = join(folder, "run-id");
  const kept = await readFile(file, "utf8").catch(() => "");
  if (kept !== "") return kept;
  const id = randomUUID();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(`${file}.${id}`, id, { mode: 0o600 });
  await rename(`${file}.${id}`, file);
  return readFile(file, "utf8");
}

/** Returns what tells apart the machines and containers that share a folder but not its held names. */
const placeOf = async () => (isLinux ? [hostname(), await readlink("/proc/self/ns/net").catch(() => "")] : []);

/** Holds a name until the process ends; undefined if another process holds it. */
async function hold(folder: string, name: string) {
  if (isLinux) return listening(`\0service-ci/${name}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return holdFile(folder, name);
}

/** Takes the first free name, so that a run finds what a killed run of the same name left behind. */
export async function takeName({ workDir, cacheDir }: Pick<LocalConfig, "workDir" | "cacheDir">): Promise<RunName> {
  const whose = JSON.stringify([await idIn(cacheDir), workDir, ...(await placeOf())]);
  const own = createHash("sha256").update(whose).digest("hex").slice(0, 8);
  for (let nth = 1; nth <= maxRuns; nth++) {
    const name = `ci-run-${own}-${nth}`;
    const held = await hold(workDir, name);
    if (held) return { name, root: await workRoot(workDir, name), [Symbol.dispose]: () => void held.close() };
  }
  throw new Refused(`${maxRuns} runs are in progress. Wait until one has ended`);
}
