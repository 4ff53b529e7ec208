import { setTimeout as delay } from "node:timers/promises";

const graceMs = 300;
const lookEveryMs = 10;

/** Signals a whole process group; 0 only probes. Returns whether the group exists. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, signal);
    return true;
  } catch (error) {
    // EPERM: the process exists under another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Sends TERM to a group, and KILL to what is left 300 ms later. */
export async function endGroup(group: number): Promise<void> {
  if (!signalGroup(group, "SIGTERM")) return;
  for (const until = performance.now() + graceMs; performance.now() < until; ) {
    await delay(lookEveryMs);
    if (!signalGroup(group, 0)) return;
  }
  signalGroup(group, "SIGKILL");
}
