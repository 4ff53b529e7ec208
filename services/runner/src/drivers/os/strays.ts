import { setTimeout as delay } from "node:timers/promises";
import type { User } from "../user.js";
import type { Birth } from "./process-ids.js";
import { type Process, processes } from "./processes.js";

const maxRounds = 20;

/** One `<id> <start time of the leader>` per line, oldest first. */
const parseGroups = (lines: string) =>
  lines
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split(" "))
    .map(([group, startTime]) => ({ group: Number(group), startTime }));

export interface Traces {
  readonly folder: string;
  readonly home: string;
  readonly groupLines: string;
  /** The build's own user. */
  readonly user: User | undefined;
  readonly birth?: Birth | undefined;
}

/** Kills a build's processes, also outside their group: by user, HOME, working directory or a group we started. */
export async function killStrays({ folder, home, groupLines, user, birth }: Traces): Promise<void> {
  const groups = parseGroups(groupLines);
  if (groups.length === 0) return;
  // Nothing of the build is older than its first job.
  const since = BigInt(groups[0]!.startTime || 0);
  for (let round = 0; round < maxRounds; round++) {
    const all = await processes(since, birth);
    const ours = new Set(
      groups
        .filter(({ group, startTime }) => all.some((one) => one.pid === group && one.startTime === startTime))
        .map(({ group }) => group),
    );
    const isStray = (one: Process) =>
      one.pid !== process.pid &&
      ((user && one.uid === user.uid) ||
        one.home === home ||
        one.folder === folder ||
        one.folder?.startsWith(`${folder}/`) ||
        ours.has(one.group));
    const strays = all.filter(isStray);
    if (strays.length === 0) return;
    for (const { pid } of strays) kill(pid);
    // They may have started others meanwhile.
    await delay(10);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has already ended.
  }
}
