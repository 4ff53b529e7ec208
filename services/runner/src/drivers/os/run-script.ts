import { spawn } from "node:child_process";
import { closeSync, existsSync, statSync } from "node:fs";
import type { Socket } from "node:net";
import { constants } from "node:os";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Fault } from "@ci/kit/rpc/fault";
import type { User } from "../user.js";
import { tooLargeLine } from "../variables.js";
import { openPipe } from "./pipe.js";
import { endGroup } from "./process-group.js";

export interface ScriptRun {
  readonly script: string;
  readonly folder: string;
  readonly variables: NodeJS.ProcessEnv;
  /** Who runs the script; undefined for the runner's own user. Node removes all other groups. */
  readonly user: User | undefined;
  readonly pipe: string;
  /** Called with the new process group before anything else happens. It was made no earlier than `sinceMs`. */
  readonly onStart: (group: number, sinceMs: number) => void;
  readonly onOutput: (bytes: Uint8Array) => Promise<void>;
  /** Ends the process group; the script still has an exit code then. */
  readonly stop?: AbortSignal | undefined;
  readonly signal: AbortSignal;
}

/** A process that left its group may hold the pipe open for ever. */
const silentLooks = 4;
const lookEveryMs = 50;
/** More than the largest pipe and the reader hold when the script ends. */
const maxLooks = 40;
const maxPieces = 64;

function listen(reader: Socket, onOutput: (bytes: Uint8Array) => Promise<void>) {
  let count = 0;
  let busy = false;
  const reading = (async () => {
    for await (const bytes of reader) {
      busy = true;
      await onOutput(bytes);
      busy = false;
      count++;
    }
  })();
  return { reading, pieces: () => count, isBusy: () => busy };
}

type Output = ReturnType<typeof listen>;

const machineErrors = new Set(["EIO", "ESTALE", "EMFILE", "ENFILE", "ENOMEM"]);

/** Reports whether a job has removed a folder, or closed it to this user. The folder above it belongs to the runner. */
function isGone(folder: string): boolean {
  try {
    statSync(`${folder}/.`);
    return false;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    return !machineErrors.has(code) && existsSync(dirname(folder));
  }
}

/** Returns a Fault for an error at the start of a script if the build is the reason, otherwise the error. */
function startError(error: unknown, { variables, folder }: ScriptRun): unknown {
  const refused = (message: string) => new Fault("precondition", message, undefined, { cause: error });
  const { code } = error as NodeJS.ErrnoException;
  if (isGone(folder))
    return refused("The working directory is gone or cannot be entered: let jobs remove only what is in it");
  const all = Object.entries(variables).map(([key, value = ""]) => ({ key, value }));
  if (code === "ERR_INVALID_ARG_VALUE") {
    const { key } = all.find(({ value }) => value.includes("\0")) ?? {};
    return key === undefined
      ? error
      : refused(`The variable ${key} contains a NUL character, which no variable may contain: remove it`);
  }
  if (code !== "E2BIG") return error;
  return refused(tooLargeLine(all));
}

function launch(run: ScriptRun) {
  const { script, folder, variables, user, pipe, onStart } = run;
  const { writeFd, reader } = openPipe(pipe, user);
  try {
    const sinceMs = performance.now();
    const child = spawn("/bin/sh", [script], {
      cwd: folder,
      env: variables,
      detached: true,
      ...user,
      stdio: ["ignore", writeFd, writeFd],
    });
    const ended = new Promise<number>((resolve, reject) => {
      child.once("error", (error) => reject(startError(error, run)));
      child.once("exit", (code, signal) => resolve(code ?? 128 + constants.signals[signal!]));
    });
    if (child.pid !== undefined) onStart(child.pid, sinceMs);
    return { group: child.pid, ended, reader };
  } catch (error) {
    reader.destroy();
    throw startError(error, run);
  } finally {
    closeSync(writeFd);
  }
}

/** Runs a script and returns its exit code (128 + n after signal n). Nothing of its process group survives. */
export async function runScript(run: ScriptRun): Promise<number> {
  const { group, ended, reader } = launch(run);
  let ending: Promise<void> | undefined;
  const end = () => {
    ending ??= group === undefined ? undefined : endGroup(group);
  };
  const output = listen(reader, run.onOutput);
  output.reading.catch(end);
  const signals = [run.signal, ...(run.stop ? [run.stop] : [])];
  for (const signal of signals) signal.addEventListener("abort", end, { once: true });
  if (signals.some(({ aborted }) => aborted)) end();
  try {
    const code = await ended;
    end();
    await ending;
    await outputEnd(output, run);
    run.signal.throwIfAborted();
    return code;
  } finally {
    for (const signal of signals) signal.removeEventListener("abort", end);
    reader.destroy();
  }
}

/** Waits until the output ends or pauses. Counts looks, not milliseconds: a slow machine needs time to read. */
async function outputEnd({ reading, pieces, isBusy }: Output, { stop, signal }: ScriptRun): Promise<void> {
  const first = pieces();
  let before = first;
  for (let looks = 0, silent = 0; silent < silentLooks && looks < maxLooks && before - first < maxPieces; ) {
    if (await Promise.race([reading.then(() => true), delay(lookEveryMs, false)])) return;
    const now = pieces();
    if (signal.aborted) silent++;
    else if (isBusy()) silent = 0;
    else {
      looks++;
      silent = now === before || stop?.aborted ? silent + 1 : 0;
    }
    before = now;
  }
}
