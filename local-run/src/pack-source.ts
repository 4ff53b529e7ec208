import { constants, createWriteStream } from "node:fs";
import { lstat, open, readlink } from "node:fs/promises";
import { join, posix } from "node:path";
import { pipeline } from "node:stream/promises";
import { sizeText } from "@ci/kit/bytes/size-text";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { Fault } from "@ci/kit/rpc/fault";
import { type Pack, pack } from "tar-stream";
import { filesOf, type LocalSource } from "./source.js";

export interface Packing {
  /** The folder of the source in the archive. */
  readonly folder: string;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

export interface Packed {
  readonly files: number;
  readonly bytes: number;
}

const maxFiles = fixedLimit({
  max: 200_000,
  about: "files of the local folder that `ci run` copies",
  refusal: "The folder has more than N files; let .gitignore name what the build does not need",
});

const ignore = "let .gitignore name what the build does not need";

const folderEntry = { type: "directory", mode: 0o755 } as const;

/** Returns the folders above a path, the top one first. */
function foldersAbove(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
}

/** Adds a regular file as it is now. */
async function addFile(archive: Pack, path: string, name: string): Promise<number> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { size, mode, mtime } = await file.stat();
    const header = { name, size, mode: mode & 0o777, mtime };
    if (size === 0) archive.entry(header, "");
    else await pipeline(file.createReadStream({ start: 0, end: size - 1, autoClose: false }), archive.entry(header));
    return size;
  } finally {
    await file.close();
  }
}

async function fill(archive: Pack, { root, isGit }: LocalSource, { folder, maxBytes, signal }: Packing) {
  const made = new Set<string>();
  const packed = { files: 0, bytes: 0 };
  const makeFolders = (folders: readonly string[]) => {
    for (const name of folders) if (!made.has(name)) archive.entry({ name: `${name}/`, ...folderEntry });
    for (const name of folders) made.add(name);
  };
  makeFolders(foldersAbove(`${folder}/.`));
  for await (const path of filesOf(root, isGit, signal)) {
    signal.throwIfAborted();
    const name = posix.join(folder, path);
    const from = join(root, path);
    const found = await lstat(from);
    if (!found.isFile() && !found.isSymbolicLink()) continue;
    packed.files++;
    packed.bytes += found.size;
    if (packed.files > maxFiles) throw new Fault("invalid", `The folder has more than ${maxFiles} files; ${ignore}`);
    if (packed.bytes > maxBytes)
      throw new Fault("invalid", `The folder is larger than ${sizeText(maxBytes)}; ${ignore}, or raise CLONE_LIMIT`);
    makeFolders(foldersAbove(name));
    if (found.isFile()) await addFile(archive, from, name);
    else archive.entry({ name, type: "symlink", linkname: await readlink(from), mtime: found.mtime });
  }
  archive.finalize();
  return packed;
}

/** Writes the files of a source into an archive, in the new file `to`. Changes nothing in the source. */
export async function packSource(source: LocalSource, to: string, packing: Packing): Promise<Packed> {
  const archive = pack();
  const file = createWriteStream(to, { flags: "wx", mode: 0o600 });
  const written = pipeline(archive, file, { signal: packing.signal });
  written.catch(() => undefined);
  try {
    const packed = await fill(archive, source, packing);
    await written;
    return packed;
  } catch (error) {
    archive.destroy();
    await written.catch(() => undefined);
    packing.signal.throwIfAborted();
    if (error instanceof Fault) throw error;
    throw new Fault("precondition", `The folder cannot be copied: ${(error as Error).message}`, undefined, {
      cause: error,
    });
  }
}
