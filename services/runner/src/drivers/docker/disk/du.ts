import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

/** Long, because a build that makes too many files slows its own measurement down. */
const timeoutMs = 10 * 60_000;

export class Unmeasurable extends Error {}

/** Sums up folders, or returns undefined if this `du` cannot. Files that vanish make `du` fail after it has printed the sum. */
export async function sumOf(
  option: "-k" | "--inodes",
  folders: readonly string[],
  path: string,
): Promise<number | undefined> {
  const du = spawn("du", [option, "-sxc", "--", ...folders], {
    stdio: ["ignore", "pipe", "ignore"],
    timeout: timeoutMs,
    env: { PATH: path, LC_ALL: "C" },
  });
  const [out] = await Promise.all([text(du.stdout), once(du, "close").catch(() => undefined)]);
  const sum = /^(\d+)\s+total$/m.exec(out)?.[1];
  if (sum !== undefined) return Number(sum);
  if (du.signalCode !== null) throw new Unmeasurable("du was ended before it printed a sum");
  return undefined;
}
