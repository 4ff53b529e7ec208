import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { quote } from "@ci/git/clone-commands";
import { abortable } from "@ci/kit/bytes/chunked";
import { Fault } from "@ci/kit/rpc/fault";
import type { Client, ClientChannel } from "ssh2";
import type { Order } from "../../driver.js";
import { noShell } from "../../endings/last-line.js";
import type { Connections } from "./connections.js";
import { untilMark } from "./mark.js";
import { CommandFailed, runCommand, startCommand } from "./ssh.js";

/** Kills every process of the session, also those that are started meanwhile. */
const endSession = `left=yes
  round=0
  while [ "$left" ] && [ $round -lt 50 ]; do
    left=
    round=$((round + 1))
    for file in /proc/[0-9]*/stat; do
      read -r line < "$file" || continue
      set -- \${line##*) }
      if [ "$4" = "$session" ] && [ "$1" != Z ]; then
        file=\${file%/stat}
        kill -9 "\${file##*/}" && left=yes
      fi
    done
  done 2> /dev/null`;

/** The script below exits with this code if the job's script does not fit. */
const unwritten = 73;
/** A shell exits with one of these codes if its file does not exist. */
const notFoundCodes: readonly unknown[] = [2, 127];

/**
 * Reads a mark and a script, and runs the script in a session of its own. When the script ends, kills the rest of the
 * session, then prints the mark and the exit code. The mark follows all of the script's output, even if a process outside
 * the session keeps the output open. The script writes to a pipe: the SSH server may provide a socket, which has no path
 * to open. Without input, does nothing: see startCommand.
 */
const runner = `job=\${0%/*}/job.$2
read -r mark || exit 1
head -c "$1" > "$job" && : > "$job.session" || exit ${unwritten}
exec 3< "$job.session"
cd /
setsid=$(command -v setsid)
{
  $setsid /bin/sh -c 'cd /root && echo $$ > "$1.session" && exec /bin/sh "$1"' sh "$job" < /dev/null 2>&1 3<&-
  code=$?
  read -r session <&3
  ${endSession}
  echo "$mark $code"
} | cat
`;

/** Ends the script of this name once it has started: it may have removed its files, but its parent's arguments name it. */
const ender = `round=0
session=
while [ ! "$session" ] && [ $round -lt 5 ]; do
  for file in /proc/[0-9]*/stat; do
    read -r line < "$file" || continue
    set -- "$1" \${line##*) }
    pid=\${file%/stat}
    pid=\${pid##*/}
    [ "$5" = "$pid" ] || continue
    words=
    read -r words < "/proc/$3/cmdline"
    case $words in *"/run"*"$1") session=$pid ;; esac
  done 2> /dev/null
  [ "$session" ] || sleep 1
  round=$((round + 1))
done
[ "$session" ] || exit 1
${endSession}
`;

export interface Workshop {
  /** If a job removes it, another one takes its place. */
  folder: string;
}

export async function openWorkshop(client: Client): Promise<Workshop> {
  const folder = `/tmp/.ci-${randomBytes(8).toString("hex")}`;
  const bytes = Buffer.byteLength(runner);
  await runCommand(client, `/bin/sh -c 'mkdir -m 700 ${folder} && head -c ${bytes} > ${folder}/run'`, runner).catch(
    (error) => {
      if (error instanceof CommandFailed && error.code === 127) throw noShell(error);
      throw new Fault("precondition", "The image cannot run jobs: nothing can be written to its /tmp", undefined, {
        cause: error,
      });
    },
  );
  return { folder };
}

/** The shell may refuse its own names, such as UID; the script then sees the shell's value. */
const exportLines = (variables: Order["variables"]): string[] =>
  variables.map(({ key, value }) => `command export ${key}=${quote(value)} 2>/dev/null || :`);

/** A process that left the session may hold the output open. */
const closeTimeoutMs = 1_000;

async function closed(channel: ClientChannel): Promise<void> {
  channel.resume();
  await once(channel, "close", { signal: AbortSignal.timeout(closeTimeoutMs) }).catch(() => undefined);
}

/** A guest that goes away is its build's fault. */
const lost = (cause?: unknown) =>
  new Fault("precondition", "The connection to the virtual machine was lost", undefined, { cause });

export interface ScriptRun {
  readonly variables: Order["variables"];
  readonly script: string;
  readonly onOutput: (bytes: Uint8Array) => Promise<void>;
  /** Ends the script; it still has an exit code then. */
  readonly stop?: AbortSignal | undefined;
  /** Uses another connection: what ends the script ends at the same moment. */
  readonly elsewhere: Connections["use"];
  readonly signal: AbortSignal;
}

/** Without `code`, the script did not end; its shell may have ended with `shellCode`. */
interface ScriptEnd {
  readonly code?: number;
  readonly shellCode?: unknown;
}

async function runOnce(
  client: Client,
  folder: string,
  { variables, script, onOutput, stop, elsewhere, signal }: ScriptRun,
): Promise<ScriptEnd> {
  const mark = randomBytes(16).toString("hex");
  const name = randomBytes(8).toString("hex");
  const text = [...exportLines(variables), script].join("\n");
  let shellCode: unknown;
  const onExit = (exitCode: unknown) => {
    shellCode = exitCode;
  };
  // The mark appears in no argument or variable, so the script cannot print it.
  const input = `${mark}\n${text}`;
  const start = `/bin/sh ${folder}/run ${Buffer.byteLength(text)} ${name}`;
  const channel = await startCommand(client, start, input, onExit).catch((error) => {
    throw lost(error);
  });
  // If that fails, the build's own time ends the script.
  const end = () =>
    void elsewhere((other) => runCommand(other, `/bin/sh -c ${quote(ender)} sh ${name}`, "")).catch(() => undefined);
  stop?.addEventListener("abort", end, { once: true });
  if (stop?.aborted) end();
  const output = abortable(signal, channel.iterator({ destroyOnReturn: false }));
  const rest = await untilMark(mark, output, onOutput).finally(() => stop?.removeEventListener("abort", end));
  const code = /^ (\d+)\n/.exec(rest ?? "")?.[1];
  await closed(channel);
  return code === undefined ? { shellCode } : { code: Number(code) };
}

const isGone = (client: Client, folder: string): Promise<boolean> =>
  runCommand(client, `/bin/sh -c '[ ! -e ${folder}/run ]'`, "").then(
    () => true,
    () => false,
  );

function whyNotRun({ shellCode }: ScriptEnd): Fault {
  if (typeof shellCode !== "number") return lost();
  const ended = `The shell of the job ended with exit code ${shellCode} before the job did`;
  const message = shellCode === unwritten ? "The script cannot be written to the virtual machine's /tmp" : ended;
  return new Fault("precondition", message);
}

export async function runScript(client: Client, workshop: Workshop, run: ScriptRun): Promise<number> {
  const { folder } = workshop;
  let end = await runOnce(client, folder, run);
  if (notFoundCodes.includes(end.shellCode) && (await isGone(client, folder))) {
    if (workshop.folder === folder) Object.assign(workshop, await openWorkshop(client));
    end = await runOnce(client, workshop.folder, run);
  }
  if (end.code === undefined) throw whyNotRun(end);
  return end.code;
}
