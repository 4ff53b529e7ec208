import { posix } from "node:path";
import { abortable } from "@ci/kit/bytes/chunked";
import { Fault } from "@ci/kit/rpc/fault";
import type { Tree, Trees } from "../../driver.js";
import { raceAbort } from "../../endings/ended.js";
import { isHostTrouble } from "../../endings/errors.js";
import type { User } from "../user.js";
import { startShell } from "./shell.js";

/** Arguments: the base and the paths below it. Prints an archive of those that exist, and nothing if none does. */
export const readScript = `cd "$1" || exit
shift
for path do
  shift
  if [ -e "$path" ] || [ -L "$path" ]; then set -- "$@" "$path"; fi
done
[ $# -eq 0 ] || exec tar -cf - -- "$@"
`;

/** The home of a job is its working directory. */
export const inHome = (path: string): string => (path.startsWith("~/") ? path.slice(2) : path);

export const nameBelow = (folder: string, path: string): string =>
  posix.relative(folder, posix.resolve(folder, inHome(path)));

/** Returns what a failure of tar means to a user. */
export const tarFailed = (what: string) => (cause: unknown) => {
  throw isHostTrouble(cause) ? cause : new Fault("precondition", `tar could not ${what}`, undefined, { cause });
};

interface Place {
  readonly work: string;
  readonly user: User | undefined;
}

async function* archiveOf({ work, user }: Place, paths: readonly string[], signal: AbortSignal) {
  await using shell = await startShell(readScript, [work, ...paths.map((path) => `./${inHome(path)}`)], {
    user,
    signal,
  });
  yield* abortable(signal, shell.output);
  await shell.done.catch(tarFailed("read the files"));
}

/** The files of a job, read and placed with the rights of its user. */
export const osTrees = (place: () => Place): Trees => ({
  layout: { roots: [""], isAbsolute: false },
  locate: inHome,
  nameOf: (path) => nameBelow(place().work, path),
  async *read(paths, signal): AsyncGenerator<Tree> {
    yield { folder: "", content: archiveOf(place(), paths, signal) };
  },
  async place({ fd }, _sizeBytes, signal) {
    const { work, user } = place();
    await using shell = await startShell('exec tar -xpf - -C "$1"', [work], { user, stdin: fd, signal });
    await raceAbort(signal, shell.done.catch(tarFailed("place the files")));
  },
});
