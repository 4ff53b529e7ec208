import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { cpus } from "node:os";

/** No processor gives out more ids: even a failed attempt takes 5 us. */
const maxPerMs = 500;
const maxSingleLooks = 50;
const maxLists = 10;

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
  const [, threads = "0", pid = "0"] = /\/(\d+) (\d+)$/.exec(loadavg.trimEnd()) ?? [];
  const isKnown = Number(threads) > 0 && Number(threads) <= maxPid / 8;
  return isKnown && Number(pid) > 0 ? Number(pid) : undefined;
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

/** An id of a process or thread. Later ids of the same round belong to younger ones. */
export interface GivenId {
  readonly pid: number;
  readonly round: number;
}

const hasProc = existsSync("/proc");
const allIds = (): number[] =>
  hasProc
    ? readdirSync("/proc")
        .map(Number)
        .filter((id) => Number.isInteger(id))
    : [];

export interface Look {
  /** Look at each process as its id comes: one that is not visible yet has a parent, whose id came earlier. */
  readonly ids: Iterable<number>;
  /** Looks at the ids that were given out since this look began. `none`: there are none; undefined: that is not known. */
  next(): Look | "none" | undefined;
}

/** Looks for processes of a machine that gives out ids below `maxPid`; 0 if that is not known. */
export function idsOn(maxPid: number, processors: number) {
  const roundOf = idRounds(maxPid, processors);
  /** False where the system shows an old id as the newest. */
  let isShown = false;

  /** Returns the id that was given out last. Its process or thread may not be visible yet. */
  function newest(): GivenId | undefined {
    const sinceMs = performance.now();
    const pid = maxPid > 0 ? lastIdIn(readFileSync("/proc/loadavg", "utf8"), maxPid) : undefined;
    return pid === undefined ? undefined : { pid, round: roundOf(pid, sinceMs, performance.now()) };
  }

  function lookFrom(last: GivenId | undefined, first: number): Look {
    let isComplete = true;
    function* listed(): Generator<number> {
      const seen = new Set<number>();
      // What is not visible yet may appear, so only a list without anything new is the last.
      for (let lists = 0; lists < maxLists; lists++) {
        const ids = allIds().filter((id) => id >= first && !seen.has(id));
        if (ids.length === 0) return;
        for (const id of ids) yield id;
        for (const id of ids) seen.add(id);
      }
      isComplete = false;
    }
    function* single(): Generator<number> {
      for (let id = first; id <= last!.pid; id++) if (existsSync(`/proc/${id}`)) yield id;
    }
    const ids = last && first > 0 && last.pid - first < maxSingleLooks ? single() : listed();
    return { ids, next: () => (last && isComplete ? lookAfter(last) : undefined) };
  }

  function lookAfter({ pid, round }: GivenId): Look | "none" | undefined {
    const last = newest();
    if (!isShown || last?.round !== round) return undefined;
    return last.pid === pid ? "none" : lookFrom(last, pid + 1);
  }

  return {
    birthOf(pid: number, sinceMs: number): GivenId {
      const birth = { pid, round: roundOf(pid, sinceMs, performance.now()) };
      try {
        isShown = (newest()?.pid ?? 0) >= pid;
      } catch {
        isShown = false;
      }
      return birth;
    },
    /** Finds all processes; only a child and younger processes, if that is certain. */
    lookAtIds(since?: GivenId): Look {
      const last = newest();
      return isShown && since && last?.round === since.round ? lookFrom(last, since.pid) : lookFrom(last, 0);
    },
  };
}

export const { birthOf, lookAtIds } = idsOn(isProcOurs() ? numberIn("/proc/sys/kernel/pid_max") : 0, cpus().length);
