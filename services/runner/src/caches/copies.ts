import { createHash, randomBytes } from "node:crypto";
import { type FileHandle, mkdir, open, opendir, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { fixedLimit } from "@ci/kit/process/fixed-limit";

const maxCopies = fixedLimit({
  max: 1_000,
  about: "copies of caches on a runner's host",
  effect: "the copy that was not used for the longest time is deleted",
});

/** Archives that this runner keeps so that it need not fetch them, by the hash of their content. */
export interface Copies {
  /** Opens a copy; undefined if there is none. It counts as used now. */
  open(sha256: string): Promise<FileHandle | undefined>;
  /** Returns the path of a new, unfinished file. */
  part(): string;
  /** Turns a finished file into a copy. */
  keep(part: string, sha256: string): Promise<void>;
  drop(sha256: string): Promise<void>;
  /** Removes copies beyond the limits, least recently used first. */
  trim(): Promise<void>;
  /** Removes copies, least recently used first, while the disk is short. */
  makeRoom(isShort: () => Promise<boolean>): Promise<void>;
}

const ending = ".tar";

/**
 * Keeps copies of at most `maxBytes` in a folder that only the runner may enter. Removes files that were not finished in
 * the folder for these; runners that share their copies need one each.
 */
export async function openCopies(folder: string, maxBytes: number, unfinished = folder): Promise<Copies> {
  for (const one of [folder, unfinished]) await mkdir(one, { recursive: true, mode: 0o700 });
  for (const name of await readdir(unfinished))
    if (!name.endsWith(ending)) await rm(join(unfinished, name), { force: true });
  const pathOf = (sha256: string) => join(folder, `${sha256}${ending}`);

  async function all() {
    const found: { path: string; size: number; mtimeMs: number }[] = [];
    for await (const { name } of await opendir(folder)) {
      if (!name.endsWith(ending)) continue;
      const path = join(folder, name);
      const { size, mtimeMs } = await stat(path).catch(() => ({ size: 0, mtimeMs: 0 }));
      found.push({ path, size, mtimeMs });
    }
    return found.sort((a, b) => a.mtimeMs - b.mtimeMs);
  }

  return {
    async open(sha256) {
      const path = pathOf(sha256);
      const handle = await open(path, "r").catch(() => undefined);
      const now = new Date();
      if (handle) await utimes(path, now, now).catch(() => undefined);
      return handle;
    },
    part: () => join(unfinished, `${randomBytes(8).toString("hex")}.part`),
    keep: (part, sha256) => rename(part, pathOf(sha256)),
    drop: (sha256) => rm(pathOf(sha256), { force: true }),
    async trim() {
      const copies = await all();
      let bytes = copies.reduce((sum, { size }) => sum + size, 0);
      for (const [removed, { path, size }] of copies.entries()) {
        if (bytes <= maxBytes && copies.length - removed <= maxCopies) return;
        await rm(path, { force: true });
        bytes -= size;
      }
    },
    async makeRoom(isShort) {
      for (const { path } of await all()) {
        if (!(await isShort())) return;
        await rm(path, { force: true });
      }
    },
  };
}

const pieceBytes = 1024 * 1024;

/** Returns the SHA-256 of a file, wherever its reader stands. */
export async function hashOf(handle: FileHandle, signal: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  const piece = Buffer.allocUnsafe(pieceBytes);
  for (let at = 0; ; ) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(piece, 0, pieceBytes, at);
    if (bytesRead === 0) return hash.digest("hex");
    hash.update(piece.subarray(0, bytesRead));
    at += bytesRead;
  }
}
