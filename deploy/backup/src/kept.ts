import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { flushFolder, manifestFile } from "./archive.js";
import { backup, type Databases, type Saved } from "./backup.js";

const whole = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/;
/** What an interrupted command left: a backup that it had not finished, or one that it had begun to delete. */
const leftover = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ(\.part|(\.part)?\.old)$/;

const namesIn = async (folder: string, pattern: RegExp): Promise<string[]> =>
  (await readdir(folder)).filter((name) => pattern.test(name)).sort();

/** Deletes a folder, after it has lost its name: an interruption leaves no part of a backup that looks whole. */
async function remove(folder: string, name: string): Promise<void> {
  const old = join(folder, name.endsWith(".old") ? name : `${name}.old`);
  await rename(join(folder, name), old).catch((error: NodeJS.ErrnoException) => {
    // Another command has removed it.
    if (error.code !== "ENOENT") throw error;
  });
  await flushFolder(folder);
  await rm(old, { recursive: true, force: true });
}

/**
 * Makes a backup in a new folder of this one, which gets its name when it is complete, and then deletes all but the newest
 * ones. One at a time: what an earlier command has not finished is deleted first.
 */
export async function backupAndKeep(
  mongoUrl: string,
  databases: Databases,
  folder: string,
  keep: number,
): Promise<Saved & { dir: string }> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const name = new Date().toISOString().replace(/\.\d+/, "").replaceAll(":", "-");
  const dir = join(folder, name);
  const part = `${dir}.part`;
  const unfinished = (await namesIn(folder, leftover)).filter((one) => join(folder, one) !== part);
  for (const one of unfinished) await remove(folder, one);
  const isMine = await mkdir(part, { mode: 0o700 }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
      return false;
    },
  );
  // The folder of another one gets its name only from a `.part`, so it cannot appear later.
  const isMade = existsSync(dir);
  if (isMade && isMine) await rm(part, { recursive: true });
  if (isMade || !isMine) throw new Error(`Another backup in ${folder} began at the same moment: make one at a time`);
  const save = async () => {
    const saved = await backup(mongoUrl, databases, part);
    await rename(part, dir);
    return saved;
  };
  const saved = await save().catch((error) => {
    if (existsSync(part)) throw error;
    throw new Error(`Another backup in ${folder} has begun and deleted this one: make one at a time`, { cause: error });
  });
  await flushFolder(folder);
  const earlier = (await namesIn(folder, whole)).filter(
    (one) => one !== name && existsSync(manifestFile(join(folder, one))),
  );
  for (const one of earlier.slice(0, Math.max(0, earlier.length + 1 - keep))) await remove(folder, one);
  return { ...saved, dir };
}
