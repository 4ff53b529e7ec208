import { randomBytes } from "node:crypto";
import { posix } from "node:path";
import { promisify } from "node:util";
import { maxHandleBytes } from "@ci/kit/net/ssh-limits";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { Fault } from "@ci/kit/rpc/fault";
import type { Client, FileEntryWithStats, SFTPWrapper, Stats } from "ssh2";
import { type Found, maxPathLength, type OpenedFile, type PlacedFile } from "../../driver.js";
import { untilAccepted } from "./ssh.js";
import { codeOf, endOfFile, readContent, sftpCall, watchEnd, writeContent } from "./transfer.js";

/** SFTP status codes (draft-ietf-secsh-filexfer-02, section 7). */
const reasons: Record<number, string> = { 2: "not found", 3: "permission denied", 5: "not found" };

function refused(error: unknown): Error {
  const reason = reasons[codeOf(error) ?? 0];
  return reason ? new Fault("precondition", reason, undefined, { cause: error }) : (error as Error);
}

export async function openFiles(client: Client, onEnd: () => void = () => undefined): Promise<SFTPWrapper> {
  const open = promisify((done: SftpDone) =>
    client.sftp((error, sftp) => {
      // At once, because the next packet may end it.
      if (sftp) watchEnd(sftp, onEnd);
      done(error, sftp);
    }),
  );
  try {
    return await untilAccepted(open);
  } catch (cause) {
    throw new Fault("precondition", "the image offers no SFTP", undefined, { cause });
  }
}
type SftpDone = (error: Error | undefined, sftp: SFTPWrapper) => void;

const statOf = (sftp: SFTPWrapper, path: string) => sftpCall<Stats>(sftp, (done) => sftp.stat(path, done));

async function makeFolder(sftp: SFTPWrapper, path: string): Promise<void> {
  const found = await statOf(sftp, path).catch(() => undefined);
  if (found?.isDirectory()) return;
  if (found) throw new Fault("precondition", "there is a file in the way");
  if (path !== "/") await makeFolder(sftp, posix.dirname(path));
  await sftpCall<void>(sftp, (done) => sftp.mkdir(path, done));
}

export async function putFile(
  sftp: SFTPWrapper,
  path: string,
  { mode, folderMode, content }: Omit<PlacedFile, "path">,
): Promise<void> {
  const folder = posix.dirname(path);
  const part = posix.join(folder, `.${randomBytes(8).toString("hex")}.part`);
  try {
    await makeFolder(sftp, folder);
    if (folderMode !== undefined) await sftpCall<void>(sftp, (done) => sftp.chmod(folder, folderMode, done));
    await writeFile(sftp, part, content);
    await sftpCall<void>(sftp, (done) => sftp.chmod(part, mode, done));
    await moveOver(sftp, part, path);
  } catch (error) {
    await sftpCall<void>(sftp, (done) => sftp.unlink(part, done)).catch(() => undefined);
    throw refused(error);
  }
}

/** Every request about an open file repeats its handle. ssh2 returns a slice, which would keep the response in memory. */
async function opened(sftp: SFTPWrapper, open: (done: (error: Error | undefined, handle: Buffer) => void) => void) {
  const handle = await sftpCall<Buffer>(sftp, open);
  if (handle.length <= maxHandleBytes) return Buffer.from(handle);
  throw new Fault("precondition", "the image's SFTP server sends file handles that are too long");
}

async function writeFile(sftp: SFTPWrapper, path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  const handle = await opened(sftp, (done) => sftp.open(path, "wx", { mode: 0o600 }, done));
  try {
    await writeContent(sftp, handle, content);
  } finally {
    await sftpCall<void>(sftp, (done) => sftp.close(handle, done));
  }
}

/** Plain SFTP cannot rename over a file; most servers have an extension for it. */
async function moveOver(sftp: SFTPWrapper, from: string, to: string): Promise<void> {
  if ((await statOf(sftp, to).catch(() => undefined))?.isDirectory())
    throw new Fault("precondition", "there is a folder of this name");
  try {
    await sftpCall<void>(sftp, (done) => sftp.ext_openssh_rename(from, to, done));
  } catch {
    await sftpCall<void>(sftp, (done) => sftp.unlink(to, done)).catch(() => undefined);
    await sftpCall<void>(sftp, (done) => sftp.rename(from, to, done));
  }
}

interface Entry {
  readonly name: string;
  readonly kind: Found["kind"];
}

const maxName = 255;
const maxHeldBytes = fixedLimit({
  max: 64 * 1024 ** 2,
  unit: "bytes",
  about: "names in folders of a virtual machine that are open at a time while files of a pattern are searched",
  refusal: "artifact error: P: its folders are too large",
});
const entryBytes = 100;
const heldBytesOf = (entries: readonly Entry[]): number =>
  entries.reduce((sum, { name }) => sum + entryBytes + name.length, 0);

interface Walk {
  readonly sftp: SFTPWrapper;
  readonly folder: string;
  heldBytes: number;
}

/** Lists everything below a folder, `depth` levels deep. Skips links to folders and what cannot be read. */
export const listFolder = (sftp: SFTPWrapper, folder: string, depth: number): AsyncGenerator<Found> =>
  listBelow({ sftp, folder, heldBytes: 0 }, depth, "");

async function* listBelow(walk: Walk, depth: number, prefix: string): AsyncGenerator<Found> {
  const { sftp, folder } = walk;
  const handle = await opened(sftp, (done) => sftp.opendir(posix.join(folder, prefix), done)).catch(() => undefined);
  if (!handle) return;
  try {
    for await (const entries of readFolder(sftp, handle)) {
      const heldBytes = heldBytesOf(entries);
      walk.heldBytes += heldBytes;
      if (walk.heldBytes > maxHeldBytes) throw new Fault("precondition", "its folders are too large");
      for (const { name, kind } of entries) {
        const path = prefix === "" ? name : `${prefix}/${name}`;
        if (path.length > maxPathLength) continue;
        yield { path, kind };
        if (kind === "directory" && depth > 1) yield* listBelow(walk, depth - 1, path);
      }
      walk.heldBytes -= heldBytes;
    }
  } finally {
    await sftpCall<void>(sftp, (done) => sftp.close(handle, done)).catch(() => undefined);
  }
}

const kindOf = ({ attrs }: FileEntryWithStats): Found["kind"] =>
  attrs.isDirectory() ? "directory" : attrs.isSymbolicLink() ? "link" : attrs.isFile() ? "file" : "other";

/** No honest server sends a name that is empty, long or has a slash. It would lead elsewhere, or nowhere. */
const isName = (name: string): boolean =>
  !["", ".", ".."].includes(name) && !name.includes("/") && name.length <= maxName;

async function* readFolder(sftp: SFTPWrapper, handle: Buffer): AsyncGenerator<Entry[]> {
  for (;;) {
    const entries = await sftpCall<FileEntryWithStats[]>(sftp, (done) => sftp.readdir(handle, done)).catch((error) => {
      if (codeOf(error) === endOfFile) return [];
      throw refused(error);
    });
    if (entries.length === 0) return;
    yield entries.flatMap((entry) => (isName(entry.filename) ? [{ name: entry.filename, kind: kindOf(entry) }] : []));
  }
}

/** Opens a regular file. Others are not even opened: a pipe would block, a device might act. */
export async function openFile(sftp: SFTPWrapper, path: string): Promise<OpenedFile> {
  try {
    const irregular = new Fault("precondition", "not a regular file");
    if (!(await statOf(sftp, path)).isFile()) throw irregular;
    const handle = await opened(sftp, (done) => sftp.open(path, "r", done));
    const close = () => sftpCall<void>(sftp, (done) => sftp.close(handle, done));
    const found = await sftpCall<Stats>(sftp, (done) => sftp.fstat(handle, done));
    if (found.isFile()) return { sizeBytes: found.size, content: readContent(sftp, handle, found.size), close };
    await close();
    throw irregular;
  } catch (error) {
    throw refused(error);
  }
}
