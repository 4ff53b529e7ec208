import { spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import type { User } from "../user.js";
import { type GivenId, type Look, lookAtIds } from "./process-ids.js";
import { type Process, processesOf } from "./processes.js";

const maxRounds = 20;
const roundsWithoutSpawn = 1;
/** A longer search would fall behind a process that starts others all the time. */
const whileTheyMayStart = { maxLooks: 20, maxMs: 200 };
const onceTheyCannot = { maxLooks: 1, maxMs: Number.POSITIVE_INFINITY };

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
  readonly birth?: GivenId | undefined;
}

/** Returns those processes that belong to the build: by user, HOME, working directory or a group we started. */
function straysIn(all: readonly Process[], groups: ReturnType<typeof parseGroups>, traces: Traces): Process[] {
  const { folder, home, user } = traces;
  const ours = new Set(
    groups
      .filter(({ group, startTime }) => all.some((one) => one.pid === group && one.startTime === startTime))
      .map(({ group }) => group),
  );
  const isStray = (one: Process) =>
    one.pid !== process.pid &&
    ((user && one.uids.includes(user.uid)) ||
      one.home === home ||
      one.folder === folder ||
      one.folder?.startsWith(`${folder}/`) ||
      ours.has(one.group));
  return all.filter(isStray);
}

function* before<T>(untilMs: number, items: Iterable<T>): Generator<T> {
  for (const item of items) {
    if (performance.now() > untilMs) return;
    yield item;
  }
}

/** Looks for processes of a build. A stray that ends during a look may have started another one, which has a later id. */
async function lookForStrays(
  traces: Traces,
  { maxLooks, maxMs }: typeof onceTheyCannot,
): Promise<{ strays: Process[]; isComplete: boolean }> {
  const groups = parseGroups(traces.groupLines);
  const untilMs = performance.now() + maxMs;
  // Nothing of the build is older than its first job. A runner that crashed may not have noted a group.
  const since = BigInt(groups[0]?.startTime || 0);
  let look: ReturnType<Look["next"]> = lookAtIds(traces.birth);
  for (let looks = 1; typeof look === "object"; looks++) {
    const strays = straysIn(await processesOf(before(untilMs, look.ids), since), groups, traces);
    if (strays.length > 0 || looks === maxLooks || performance.now() > untilMs) return { strays, isComplete: false };
    look = look.next();
  }
  return { strays: [], isComplete: look === "none" };
}

/** Kills a build's processes until none is left. With a user of its own, none can hide by starting others all the time. */
export async function killStrays(traces: Traces): Promise<void> {
  const { folder, user } = traces;
  let isSure = user === undefined;
  for (let round = 0; round < maxRounds; round++) {
    const { strays, isComplete } = await lookForStrays(traces, isSure ? onceTheyCannot : whileTheyMayStart);
    if (strays.length === 0 && (isComplete || isSure)) return;
    for (const { pid } of strays) kill(pid);
    if (user && !isSure && (strays.length === 0 || round >= roundsWithoutSpawn)) isSure = await killAllOf(user);
    if (strays.length > 0 || !isSure) await delay(10 * (round + 1));
  }
  throw new Error(`the processes of ${folder} do not end`);
}

const killerMs = 2_000;

/** Kills all processes of a user at one moment. Reports whether that was possible: they may stop the killer before it acts. */
async function killAllOf(user: User): Promise<boolean> {
  const killer = spawn("/bin/sh", ["-c", "kill -s KILL -- -1; :"], {
    ...user,
    env: {},
    stdio: "ignore",
    timeout: killerMs,
    killSignal: "SIGKILL",
  });
  return new Promise((resolve) =>
    killer.once("error", () => resolve(false)).once("close", (code) => resolve(code === 0)),
  );
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has already ended.
  }
}
