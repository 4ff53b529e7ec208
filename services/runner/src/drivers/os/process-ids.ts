import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { cpus } from "node:os";

/** No processor gives out more ids: even a failed attempt takes 5 us. */
const maxPerMs = 500;
const maxSingleLooks = 50;

/**
 * Linux gives out process ids in ascending order, again and again. Of two ids with one round, the smaller one is older.
 * Begins a new round whenever they may have started from the bottom. An id is given out between `sinceMs` and `untilMs`.
 */
export function idRounds(maxPid: number, processors: number) {
  const maxGapMs = (0.75 * maxPid) / (maxPerMs * processors);
  let last = { pid: 0, sinceMs: Number.NEGATIVE_INFINITY };
  let round = 0;
  return (pid: number, sinceMs: number, untilMs: number): number => {
    const isSame = pid >= last.pid && untilMs - last.sinceMs < maxGapMs;
    last = { pid, sinceMs };
    if (!isSame) round++;
    return round;
  };
}

/** Returns the id that was given out last, from /proc/loadavg; undefined if too many are in use. */
export function lastIdIn(loadavg: string, maxPid: number): number | undefined {
  const [, threads, pid] = /\/(\d+) (\d+)$/.exec(loadavg.trimEnd()) ?? [];
  return pid === undefined || Number(threads) > maxPid / 8 ? undefined : Number(pid);
}

function numberIn(file: string): number {
  try {
    return Number(readFileSync(file, "utf8"));
  } catch {
    return 0;
  }
}

function isProcOurs(): boolean {
  try {
    return readlinkSync("/proc/self") === String(process.pid);
  } catch {
    return false;
  }
}

/** A child process: ids that were given out since then belong to younger processes. */
export interface Birth {
  readonly pid: number;
  readonly round: number;
}

function allIds(): number[] {
  try {
    return readdirSync("/proc")
      .map(Number)
      .filter((id) => Number.isInteger(id));
  } catch {
    return [];
  }
}

export interface Look {
  readonly ids: number[];
  /** Looks at the ids that were given out since this look began. `none`: there are none; undefined: that is not known. */
  next(): Look | "none" | undefined;
}

/** Looks for processes of a machine that gives out ids below `maxPid`; 0 if that is not known. */
export function idsOn(maxPid: number, processors: number) {
  const roundOf = idRounds(maxPid, processors);

  /** Returns the id that was given out last, which may be that of a thread. */
  function newest(): Birth | undefined {
    const sinceMs = performance.now();
    const pid = maxPid > 0 ? lastIdIn(readFileSync("/proc/loadavg", "utf8"), maxPid) : undefined;
    return pid === undefined ? undefined : { pid, round: roundOf(pid, sinceMs, performance.now()) };
  }

  const idsBetween = (first: number, last: number): number[] =>
    last - first < maxSingleLooks
      ? Array.from({ length: Math.max(0, last - first + 1) }, (_, nth) => first + nth).filter((id) =>
          existsSync(`/proc/${id}`),
        )
      : allIds().filter((id) => id >= first);

  function lookAfter({ pid, round }: Birth): Look | "none" | undefined {
    const last = newest();
    if (last?.round !== round) return undefined;
    if (last.pid === pid) return "none";
    return { ids: idsBetween(pid + 1, last.pid), next: () => lookAfter(last) };
  }

  return {
    birthOf: (pid: number, sinceMs: number): Birth => ({ pid, round: roundOf(pid, sinceMs, performance.now()) }),
    /** Finds all processes; only a child and younger processes, if that is certain. */
    lookAtIds(since?: Birth): Look {
      const last = newest();
      const ids = last && last.round === since?.round ? idsBetween(since.pid, last.pid) : allIds();
      return { ids, next: () => last && lookAfter(last) };
    },
  };
}

export const { birthOf, lookAtIds } = idsOn(isProcOurs() ? numberIn("/proc/sys/kernel/pid_max") : 0, cpus().length);
