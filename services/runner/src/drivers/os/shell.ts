import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import type { User } from "../user.js";
import { endGroup, signalGroup } from "./process-group.js";

/** How complaints end: the words of GNU, BSD and musl, and of dash. Before them there may be a name that a user chose. */
const codes: readonly (readonly [RegExp, string])[] = [
  [/no such file( or directory)?$|nonexistent$/i, "ENOENT"],
  [/not a directory$/i, "ENOTDIR"],
  [/name too long$/i, "ENAMETOOLONG"],
  [/permission denied$|operation not permitted$/i, "EACCES"],
  [/symbolic links?( loop)?$/i, "ELOOP"],
  [/file exists$/i, "EEXIST"],
  [/not a regular file$/i, "EINVAL"],
  [/is a directory$/i, "EISDIR"],
  [/no space left on device$/i, "ENOSPC"],
  [/quota exceeded$/i, "EDQUOT"],
  [/read-only file system$/i, "EROFS"],
  [/i\/o error$|input\/output error$/i, "EIO"],
];

const maxComplaint = 4_096;

export interface Shell extends AsyncDisposable {
  readonly output: Readable;
  /** Resolves when the script has ended with 0. Otherwise rejects with the code of the system error that it printed. */
  readonly done: Promise<void>;
}

/** Sends the input, but not its end. A script that has failed does not read, and its own complaint says why. */
async function send(input: AsyncIterable<Uint8Array>, to: Writable): Promise<void> {
  for await (const bytes of input) {
    if (to.destroyed) return;
    try {
      if (!to.write(bytes)) await once(to, "drain");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EPIPE") return;
      throw error;
    }
  }
}

interface ShellOptions {
  readonly user: User | undefined;
  readonly input?: AsyncIterable<Uint8Array>;
  /** An open file that the script reads instead of an input. */
  readonly stdin?: number;
  /** Ends the script; who reads its output gets the reason. */
  readonly signal?: AbortSignal;
}

/**
 * Runs a shell script with a user's rights only. If the input breaks off, the script gets TERM before it sees an end.
 * Disposing ends the script, even if processes of that user have stopped its processes.
 */
export async function startShell(
  script: string,
  args: readonly string[],
  { user, input, stdin, signal }: ShellOptions,
): Promise<Shell> {
  signal?.throwIfAborted();
  const child = spawn("/bin/sh", ["-c", script, "sh", ...args], {
    cwd: "/",
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C" },
    detached: true,
    stdio: [stdin ?? "pipe", "pipe", "pipe"],
    ...user,
  }) as ChildProcessByStdio<Writable | null, Readable, Readable>;
  await once(child, "spawn");
  const group = child.pid!;
  const closed = once(child, "close");
  const exited = once(child, "exit").then(() => signalGroup(group, "SIGKILL"));
  const end = (send: () => unknown) => {
    if (child.exitCode === null && child.signalCode === null) send();
    // A process that the shell is just starting may miss the signal, and would read for ever.
    child.stdin?.destroy(new Error("The shell has been ended"));
  };
  const abandon = (reason?: Error) => {
    end(() => endGroup(group));
    child.stdout.destroy(reason);
    exited.then(() => child.stderr.destroy());
  };
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint = `${complaint}${text}`.slice(-maxComplaint);
  });
  for (const stream of [child.stdin, child.stdout]) stream?.on("error", () => undefined);
  const sent = (input && child.stdin ? send(input, child.stdin) : Promise.resolve()).then(
    () => child.stdin?.end(),
    (error) => {
      end(() => signalGroup(group, "SIGTERM"));
      throw error;
    },
  );
  sent.catch(() => undefined);
  const done = closed.then(async ([code]) => {
    await sent;
    if (code !== 0) throw systemError(complaint.trim() || `The shell ended with ${code}`);
  });
  done.catch(() => undefined);
  const onAbort = () => abandon(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  child.once("close", () => signal?.removeEventListener("abort", onAbort));
  if (signal?.aborted) onAbort();
  return {
    output: child.stdout,
    done,
    async [Symbol.asyncDispose]() {
      abandon();
      await closed;
    },
  };
}

function systemError(text: string): Error {
  const [, code] = codes.find(([words]) => words.test(text)) ?? [];
  return Object.assign(new Error(text), code === undefined ? {} : { code });
}
