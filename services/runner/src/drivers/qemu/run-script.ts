import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { abortable } from "@ci/kit/bytes/chunked";
import { Fault } from "@ci/kit/rpc/fault";
import type { Client, ClientChannel } from "ssh2";
import type { Order } from "../../driver.js";
import { quote } from "../../steps/script.js";
import { noShell } from "../../work/last-line.js";
import { untilMark } from "./mark.js";
import { CommandFailed, runCommand, startCommand } from "./ssh.js";

/**
 * Reads a mark and a script of so many bytes, runs that in a session of its own, and ends what is left of the session
 * afterwards. Then it prints the mark and the exit code: whatever the script has printed comes before that, even if
 * something that has left the session holds the output open. The script prints into a pipe, since the SSH server may
 * give us a socket, and a socket cannot be opened by its name.
 */
const runner = `job=\${0%/*}/job.$$
read -r mark
head -c "$1" > "$job" || exit 1
cd /
setsid=$(command -v setsid)
{
  $setsid /bin/sh -c 'cd /root && echo $$ > "$1.session" && exec /bin/sh "$1"' sh "$job" < /dev/null 2>&1
  code=$?
  read -r session < "$job.session"
  left=yes
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
  done 2> /dev/null
  echo "$mark $code"
} | cat
`;

/** A place in the guest for what we need there, away from the working directory. */
export interface Workshop {
  readonly folder: string;
}

/** Makes the place. */
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

/** The shell may refuse a name that is its own, such as UID: then the script has the shell's. */
const exportLines = ({ variables }: Pick<Order, "variables">): string[] =>
  variables.map(({ key, value }) => `command export ${key}=${quote(value)} 2>/dev/null || :`);

/** So long something that has left the session may hold the output open: it is not waited for. */
const closeTimeoutMs = 1_000;

/** The server closes a channel after its last word. */
async function closed(channel: ClientChannel): Promise<void> {
  channel.resume();
  await once(channel, "close", { signal: AbortSignal.timeout(closeTimeoutMs) }).catch(() => undefined);
}

/** A guest that goes away is the doing of its build. */
const lost = (cause?: unknown) =>
  new Fault("precondition", "The connection to the virtual machine was lost", undefined, { cause });

/** How to run a script. */
export interface ScriptRun {
  readonly order: Pick<Order, "variables">;
  readonly script: string;
  readonly onOutput: (bytes: Uint8Array) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Runs a script in the guest to its end and answers its exit code. */
export async function runScript(
  client: Client,
  { folder }: Workshop,
  { order, script, onOutput, signal }: ScriptRun,
): Promise<number> {
  const mark = randomBytes(16).toString("hex");
  const text = [...exportLines(order), script].join("\n");
  // The mark is in no argument, name or variable of a process: whatever the script prints, it is not that.
  const command = `/bin/sh ${folder}/run ${Buffer.byteLength(text)}`;
  const channel = await startCommand(client, command, `${mark}\n${text}`).catch((error) => {
    throw lost(error);
  });
  const rest = await untilMark(mark, abortable(signal, channel.iterator({ destroyOnReturn: false })), onOutput);
  const code = /^ (\d+)\n/.exec(rest ?? "")?.[1];
  if (code === undefined) throw lost();
  await closed(channel);
  return Number(code);
}
