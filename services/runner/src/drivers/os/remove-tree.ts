import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, opendir, rename, rmdir, unlink } from "node:fs/promises";

const maxRounds = 10;
const entriesAtOnce = 64;
const foldersAtOnce = 8;

const code = (error: unknown) => (error as NodeJS.ErrnoException).code ?? "";
const allow =
  (...codes: readonly string[]) =>
  (error: unknown) => {
    if (!codes.includes(code(error))) throw error;
  };

/** An entry of an open folder, wherever that is by now. Jobs choose the bytes of names; Latin-1 keeps them. */
const entry = ({ fd }: FileHandle, name = "") => Buffer.from(`/proc/self/fd/${fd}/${name}`, "latin1");

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
const openFolder = (path: string | Buffer) => open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);

/** Nothing may be under way when a folder is closed: its number could be that of another one by then. */
async function allDone(tasks: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(tasks)).find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
}

/** Removes a folder's files and moves its folders up, so that the depth does not matter. */
async function empty(folder: FileHandle, moveUp: (path: Buffer) => Promise<void>, skip?: string): Promise<void> {
  const removeEntry = async (name: string) => {
    const path = entry(folder, name);
    await unlink(path)
      .catch((error) => (["EISDIR", "EPERM"].includes(code(error)) ? moveUp(path) : Promise.reject(error)))
      .catch(allow("ENOENT"));
  };
  let names: string[] = [];
  for await (const { name } of await opendir(entry(folder), { encoding: "latin1" })) {
    if (skip !== undefined && name.startsWith(skip)) continue;
    names.push(name);
    if (names.length < entriesAtOnce) continue;
    await allDone(names.map(removeEntry));
    names = [];
  }
  await allDone(names.map(removeEntry));
}

async function shutOthersOut(folder: FileHandle): Promise<void> {
  await folder.chown(0, 0);
  await folder.chmod(0o700);
}

async function emptyTree(path: string): Promise<void> {
  await using top = await openFolder(path);
  await top.chmod(0o700);
  const prefix = `${randomUUID()}.`;
  let moved = 0;
  const moveUp = (from: Buffer) => rename(from, entry(top, `${prefix}${moved++}`));
  await empty(top, moveUp, prefix);
  const removeMoved = async (nth: number) => {
    const inTop = entry(top, `${prefix}${nth}`);
    try {
      await using folder = await openFolder(inTop);
      await shutOthersOut(folder);
      await empty(folder, moveUp);
      await rmdir(inTop);
    } catch (error) {
      allow("ENOENT", "ENOTDIR", "ELOOP", "ENOTEMPTY")(error);
    }
  };
  for (let nth = 0; nth < moved; ) {
    const next = Math.min(moved, nth + foldersAtOnce);
    await allDone(Array.from({ length: next - nth }, (_, index) => removeMoved(nth + index)));
    nth = next;
  }
}

/** Removes a job's folder as root. Paths begin at an open folder, so no link that another build puts there is followed. */
export async function removeTree(path: string): Promise<void> {
  for (let round = 1; ; round++) {
    await emptyTree(path).catch(allow("ENOENT"));
    try {
      return await rmdir(path).catch(allow("ENOENT"));
    } catch (error) {
      if (round === maxRounds || code(error) !== "ENOTEMPTY") throw error;
    }
  }
}
