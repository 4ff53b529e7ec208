import { setTimeout as delay } from "node:timers/promises";

const graceMs = 300;
const lookEveryMs = 10;

/** Sends a signal to a whole process group; 0 only asks. Answers whether there was anybody. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, signal);
    return true;
  } catch (error) {
    // EPERM: there is somebody, who has become another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Ends all processes of a group: TERM, and 300 ms later KILL for those that are still there. */
export async function endGroup(group: number): Promise<void> {
  if (!signalGroup(group, "SIGTERM")) return;
  for (const until = performance.now() + graceMs; performance.now() < until; ) {
    await delay(lookEveryMs);
    if (!signalGroup(group, 0)) return;
  }
  signalGroup(group, "SIGKILL");
}
