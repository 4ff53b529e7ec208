const dayMs = 86_400_000;
/** Clocks are not set back by more. */
const maxSetBackMs = 3 * 3_600_000;
const localeLikeIso = "sv-SE";

/** When clocks show a time, or the end of the gap if they skip it. */
interface Moments {
  readonly first: number;
  readonly last: number;
  readonly skipped: boolean;
}

interface WallClock {
  shown(at: number): number;
  /** Returns the earliest time that clocks will show after `at`. */
  earliestAfter(at: number): number;
  moments(time: number): Moments;
}

/** A time that a zone's clocks show is written as the moment when clocks in UTC show it. All times are whole seconds. */
export function wallClock(timezone: string): WallClock {
  const format = new Intl.DateTimeFormat(localeLikeIso, {
    timeZone: timezone,
    dateStyle: "short",
    timeStyle: "medium",
  });
  const shown = (at: number) => Date.parse(`${format.format(at).replace(" ", "T")}Z`);
  const offset = (at: number) => shown(at) - at;

  function endOfGap(time: number, before: number, after: number): number {
    let [low, high] = [before, after];
    while (high - low > 1_000) {
      const middle = low + Math.floor((high - low) / 2_000) * 1_000;
      if (shown(middle) > time) high = middle;
      else low = middle;
    }
    return high;
  }

  return {
    shown,
    earliestAfter: (at) => at + Math.min(offset(at), offset(at + maxSetBackMs)),
    moments(time) {
      const [early, late] = [time - offset(time - dayMs), time - offset(time + dayMs)];
      const found = [early, late].filter((at) => shown(at) === time);
      if (found.length > 0) return { first: found[0]!, last: found.at(-1)!, skipped: false };
      const end = endOfGap(time, late, early);
      return { first: end, last: end, skipped: true };
    },
  };
}
