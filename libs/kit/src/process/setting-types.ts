const msPer = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const bytesPer = { "": 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 } as const;

export function parseDuration(text: string): number {
  const found = /^(\d+)(ms|s|min|h|d)$/.exec(text);
  if (!found) throw new Error(`must be a time such as 250ms, 15s, 5min, 2h or 30d, not "${text}"`);
  return Number(found[1]) * msPer[found[2] as keyof typeof msPer];
}

/** Formats a duration as it is parsed: `10min`, `90s`. */
export function durationText(ms: number): string {
  if (ms % 60_000 === 0) return `${ms / 60_000}min`;
  return ms % 1_000 === 0 ? `${ms / 1_000}s` : `${ms}ms`;
}

export function parseSize(text: string): number {
  const found = /^(\d+)(KiB|MiB|GiB)?$/.exec(text);
  if (!found) throw new Error(`must be a size such as 512, 64KiB, 5MiB or 1GiB, not "${text}"`);
  return Number(found[1]) * bytesPer[(found[2] ?? "") as keyof typeof bytesPer];
}

export function parseWhole(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new Error(`must be a whole number, not "${text}"`);
  return Number(text);
}

export interface Limits {
  readonly min?: string;
  readonly max?: string;
}

/** Limits for timers: Node fires one of more than 2^31 ms at once. */
export const timer: Limits = { min: "1ms", max: "24d" };

const rangeText = ({ min, max }: Limits): string => {
  if (min === undefined) return `of ${max} or less`;
  return max === undefined ? `of ${min} or more` : `from ${min} to ${max}`;
};

export const within =
  (kind: string, parse: (text: string) => number, limits: Limits) =>
  (text: string): number => {
    const value = parse(text);
    const { min, max } = limits;
    const isWithin = (min === undefined || value >= parse(min)) && (max === undefined || value <= parse(max));
    if (!isWithin) throw new Error(`must be ${kind} ${rangeText(limits)}, not "${text}"`);
    return value;
  };

const enumeration = (names: readonly string[], word: string): string =>
  names.length === 1 ? names[0]! : `${names.slice(0, -1).join(", ")} ${word} ${names.at(-1)}`;

export const oneOf =
  <T extends string>(names: readonly T[]) =>
  (text: string): T => {
    const found = names.find((name) => name === text);
    if (!found) throw new Error(`must be ${enumeration(names, "or")}, not "${text}"`);
    return found;
  };

export const someOf =
  <T extends string>(names: readonly T[]) =>
  (text: string): T[] => {
    const entries = text.split(",").map((entry) => entry.trim());
    if (!entries.every((entry) => names.includes(entry as T)))
      throw new Error(`must be a list of ${enumeration(names, "and")}, not "${text}"`);
    return [...new Set(entries as T[])];
  };

/** Checks `host:port`, with an IPv6 address in brackets. */
export const parseAddress =
  (smallestPort: 0 | 1) =>
  (text: string): string => {
    const port = /^(?:\[[\da-f:.]+(?:%\w+)?\]|[^\s:/[\]]+):(\d{1,5})$/i.exec(text)?.[1];
    if (port === undefined || Number(port) < smallestPort || Number(port) > 65_535)
      throw new Error(`must be host:port with a port from ${smallestPort} to 65535, not "${text}"`);
    return text;
  };
