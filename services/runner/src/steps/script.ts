import { cloneCommands } from "@ci/kit/process/clone-commands";
import type { AssignedJob } from "@ci/proto/builds/v1/queue";

export { quote } from "@ci/kit/process/clone-commands";

/** The file a job is run from: one stream of output, stop at the first failure, trace, then the commands as they are. */
export function scriptOf({ commands, source }: Pick<AssignedJob, "commands" | "source">): string {
  // A builds service of an older version leaves the commands of a clone job to its runner.
  const lines = source && commands.length === 0 ? cloneCommands(source) : commands;
  return ["exec 2>&1", "set -ex", ...lines, ""].join("\n");
}
