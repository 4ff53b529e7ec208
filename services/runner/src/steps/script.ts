import { cloneCommands } from "@ci/kit/process/clone-commands";
import type { AssignedJob } from "@ci/proto/builds/v1/queue";

export { quote } from "@ci/kit/process/clone-commands";

/** Returns the job's script: one output stream, stop at the first failure, trace, then the commands. */
export function scriptOf({ commands, source }: Pick<AssignedJob, "commands" | "source">): string {
  // An older builds service leaves a clone job's commands to the runner.
  const lines = source && commands.length === 0 ? cloneCommands(source) : commands;
  return ["exec 2>&1", "set -ex", ...lines, ""].join("\n");
}
