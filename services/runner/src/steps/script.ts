import { cloneCommands, quote } from "@ci/git/clone-commands";
import type { AssignedJob } from "@ci/proto/builds/v1/queue";

/** Lets another shell run this same script. Its argument tells it that this has happened. */
const inShell = (shell: string): string[] => [`[ $# -gt 0 ] || exec ${quote(shell)} "$0" -`, "shift"];

/** Returns the job's script: one output stream, stop at the first failure, trace, then the commands. */
export function scriptOf({ commands, source, shell }: Pick<AssignedJob, "commands" | "source" | "shell">): string {
  // An older builds service leaves a clone job's commands to the runner.
  const lines = source && commands.length === 0 ? cloneCommands(source) : commands;
  return ["exec 2>&1", ...(shell ? inShell(shell) : []), "set -ex", ...lines, ""].join("\n");
}
