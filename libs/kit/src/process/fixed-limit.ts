/** What happens beyond a limit, for docs/operating/limits.md. */
export interface Beyond {
  /** The complaint about what exceeds the limit; N stands for the value. */
  readonly refusal?: string;
  /** What happens instead of, or beside, a complaint. */
  readonly effect?: string;
}

interface FixedLimit extends Beyond {
  readonly max: number;
  readonly about: string;
  readonly unit?: "bytes" | "ms";
}

const declared: FixedLimit[] = [];

/** Returns the limits of all modules that are loaded. */
export const fixedLimits = (): readonly FixedLimit[] => declared;

/** Describes a limit beside the code that it limits, and returns its value. */
export function fixedLimit(limit: FixedLimit): number {
  declared.push(limit);
  return limit.max;
}
