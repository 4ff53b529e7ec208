import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { constants, createWriteStream, type Dirent } from "node:fs";
import { chmod, type FileHandle, mkdir, open, opendir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { Fault } from "@ci/kit/rpc/fault";
import type { Found, OpenedFile, PlacedFile } from "../../driver.js";

const chunkBytes = 256 * 1024;

export async function putFile(path: string, { mode, folderMode, content }: Omit<PlacedFile, "path">): Promise<void> {
  const folder = dirname(path);
  const part = join(folder, `.${randomBytes(8).toString("hex")}.part`);
  try {
    await mkdir(folder, { recursive: true });
    if (folderMode !== undefined) await chmod(folder, folderMode);
    await pipeline(content, createWriteStream(part, { flags: "wx", mode: 0o600 }));
    await chmod(part, mode);
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    throw refused(error);
  }
}

const kindOf = (entry: Dirent): Found["kind"] =>
  entry.isDirectory() ? "directory" : entry.isSymbolicLink() ? "link" : entry.isFile() ? "file" : "other";

/** Lists everything below a folder, `depth` levels deep. Skips links to folders and what cannot be read. */
export async function* listFolder(folder: string, depth: number, prefix = ""): AsyncGenerator<Found> {
  const entries = await opendir(join(folder, prefix)).catch(() => undefined);
  if (!entries) return;
  for await (const entry of entries) {
    const found: Found = { path: join(prefix, entry.name), kind: kindOf(entry) };
    yield found;
    if (found.kind === "directory" && depth > 1) yield* listFolder(folder, depth - 1, found.path);
  }
}

const reasons: Record<string, string> = {
  ENOENT: "not found",
  ENOTDIR: "not found",
  ENAMETOOLONG: "not found",
  EACCES: "permission denied",
  ELOOP: "too many symbolic links",
  EEXIST: "there is a file in the way",
  EISDIR: "there is a folder of this name",
};

function refused(error: unknown): Error {
  const { code = "" } = error as NodeJS.ErrnoException;
  return reasons[code] ? new Fault("precondition", reasons[code], undefined, { cause: error }) : (error as Error);
}

/** Yields exactly `sizeBytes`, even if the file grows meanwhile. */
async function* contentOf(file: FileHandle, sizeBytes: number): AsyncGenerator<Uint8Array> {
  for (let left = sizeBytes; left > 0; ) {
    const buffer = Buffer.allocUnsafe(Math.min(left, chunkBytes));
    const { bytesRead } = await file.read(buffer);
    if (bytesRead === 0) throw new Fault("precondition", "became shorter while it was read");
    left -= bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Opens a regular file. Others are not even opened: a pipe would block, a device might act. */
export async function openFile(path: string): Promise<OpenedFile> {
  try {
    const irregular = new Fault("precondition", "not a regular file");
    if (!(await stat(path)).isFile()) throw irregular;
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = await file.stat();
    if (!found.isFile()) {
      await file.close();
      throw irregular;
    }
    return { sizeBytes: found.size, content: contentOf(file, found.size), close: () => file.close() };
  } catch (error) {
    throw refused(error);
  }
}

/** Removes a folder, including entries its owner may not enter and paths too long for Node. */
export async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(async () => {
    await once(spawn("chmod", ["-R", "u+rwx", path], { stdio: "ignore" }), "exit");
    const [code] = await once(spawn("rm", ["-rf", path], { stdio: "ignore" }), "exit");
    if (code !== 0) throw new Error(`rm ended with ${code}`);
  });
}
