import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Fault } from "@ci/kit/rpc/fault";
import type { Found, OpenedFile, PlacedFile } from "../../driver.js";
import { isRoot, type User } from "../user.js";
import { entriesIn, headOf } from "./printed.js";
import { removeTree } from "./remove-tree.js";
import { type Shell, startShell } from "./shell.js";

/*
 * A runner that is root must not follow a build's links and paths with its own rights: an artifact could be a link to
 * the runner's secrets, and an object could be placed in /etc. So scripts do it with the rights of the build's user.
 */

/**
 * Arguments: folder, unfinished file, file, mode, mode of the folder or nothing. The group may get several TERM signals:
 * none of them may end `rm`.
 */
const putScript = `trap 'trap "" TERM; rm -f -- "$2"' EXIT
trap 'trap "" TERM; exit 1' TERM
mkdir -p -- "$1" || exit
[ -z "$5" ] || chmod "$5" "$1" || exit
(umask 077 && set -C && cat > "$2") || exit
chmod "$4" "$2" || exit
if [ -d "$3" ]; then echo "Is a directory" >&2; exit 1; fi
mv -f -- "$2" "$3"
`;

export async function putFile(
  path: string,
  { mode, folderMode, content }: Omit<PlacedFile, "path">,
  user: User | undefined,
  signal: AbortSignal,
): Promise<void> {
  const folder = dirname(path);
  const part = join(folder, `.${randomBytes(8).toString("hex")}.part`);
  const modes = [mode.toString(8), folderMode?.toString(8) ?? ""];
  try {
    await using shell = await startShell(putScript, [folder, part, path, ...modes], { user, input: content, signal });
    await shell.done;
  } catch (error) {
    throw refused(error);
  }
}

/** Arguments: folder, depth or nothing. Prints kind and path of each entry, with a zero byte after each. */
const listScript = `find "$1/" -mindepth 1 \${2:+-maxdepth "$2"} \\( \\
  -type f -exec printf 'f%s\\0' {} + -o \\
  -type l -exec printf 'l%s\\0' {} + -o \\
  -type d -exec printf 'd%s\\0' {} + -o \\
  -exec printf 'o%s\\0' {} + \\) 2> /dev/null || :
`;

/** Lists everything below a folder, `depth` levels deep. Skips links to folders and what cannot be read. */
export async function* listFolder(
  folder: string,
  depth: number,
  user: User | undefined,
  signal: AbortSignal,
): AsyncGenerator<Found> {
  const maxDepth = Number.isFinite(depth) ? String(depth) : "";
  await using shell = await startShell(listScript, [folder, maxDepth], { user, signal });
  yield* entriesIn(shell.output, folder);
}

const reasons: Record<string, string> = {
  ENOENT: "not found",
  ENOTDIR: "not found",
  ENAMETOOLONG: "not found",
  EACCES: "permission denied",
  ELOOP: "too many symbolic links",
  EEXIST: "there is a file in the way",
  EINVAL: "not a regular file",
  EISDIR: "there is a folder of this name",
};

function refused(error: unknown): Error {
  const { code = "" } = error as NodeJS.ErrnoException;
  return reasons[code] ? new Fault("precondition", reasons[code], undefined, { cause: error }) : (error as Error);
}

/** Argument: the file. Prints its size, a line break and its content. Opens nothing else: a pipe would block. */
const openScript = `if [ -e "$1" ] && ! [ -f "$1" ]; then echo "Not a regular file" >&2; exit 1; fi
size=$(wc -c < "$1") || exit
echo $((size))
exec cat < "$1"
`;

/** Yields exactly `sizeBytes`, even if the file grows meanwhile. */
async function* contentOf(begun: Uint8Array, output: AsyncIterator<Uint8Array>, sizeBytes: number) {
  let left = sizeBytes;
  for (let piece = begun; left > 0; ) {
    if (piece.length > 0) yield piece.subarray(0, left);
    left -= piece.length;
    if (left <= 0) return;
    const { value, done } = await output.next();
    if (done) throw new Fault("precondition", "became shorter while it was read");
    piece = value;
  }
}

async function openedBy(shell: Shell): Promise<OpenedFile> {
  const output: AsyncIterator<Uint8Array> = shell.output[Symbol.asyncIterator]();
  const head = await headOf(output);
  if (head) {
    const sizeBytes = Number(head.line);
    const close = async () => shell[Symbol.asyncDispose]();
    return { sizeBytes, content: contentOf(head.rest, output, sizeBytes), close };
  }
  await shell.done;
  throw new Error("The shell printed nothing");
}

/** Opens a regular file. */
export async function openFile(path: string, user: User | undefined, signal: AbortSignal): Promise<OpenedFile> {
  const shell = await startShell(openScript, [path], { user, signal });
  try {
    return await openedBy(shell);
  } catch (error) {
    await shell[Symbol.asyncDispose]();
    throw refused(error);
  }
}

const isLinuxRoot = process.platform === "linux" && isRoot();

/** Removes a folder, including entries its owner may not enter and paths too long for Node. */
export async function removeFolder(path: string): Promise<void> {
  const isEmpty = await rmdir(path).then(
    () => true,
    () => false,
  );
  if (isEmpty) return;
  if (isLinuxRoot) return removeTree(path);
  await rm(path, { recursive: true, force: true }).catch(async () => {
    await once(spawn("chmod", ["-R", "u+rwx", path], { stdio: "ignore" }), "exit");
    const [code] = await once(spawn("rm", ["-rf", path], { stdio: "ignore" }), "exit");
    if (code !== 0) throw new Error(`rm ended with ${code}`);
  });
}
