import { serverTime } from "../server-time.js";

const [minute, hour, day] = [60, 3_600, 86_400];

/** Returns a duration, such as `0.4 s`, `12 s`, `3 min 5 s` or `2 h 10 min`. */
export function duration(seconds: number): string {
  if (seconds < 9.95) return `${Math.max(0, seconds).toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < minute) return `${whole} s`;
  if (whole < hour) return `${Math.floor(whole / minute)} min ${whole % minute} s`;
  if (whole < day) return `${Math.floor(whole / hour)} h ${Math.floor((whole % hour) / minute)} min`;
  return `${age(whole)} ${Math.floor((whole % day) / hour)} h`;
}

/** Returns the duration of a request, such as `3 ms` or `1.2 s`. */
export const briefDuration = (seconds: number): string =>
  seconds < 0.9995 ? `${Math.round(Math.max(0, seconds) * 1_000)} ms` : duration(seconds);

const steps = [
  ["day", day],
  ["h", hour],
  ["min", minute],
] as const;

function age(seconds: number): string {
  for (const [unit, length] of steps) {
    const count = Math.floor(seconds / length);
    if (count >= 1) return `${count} ${unit}${unit === "day" && count > 1 ? "s" : ""}`;
  }
  return `${Math.floor(seconds)} s`;
}

/** Returns a time relative to now, such as `3 min ago`. */
export function relative(time: string, now = serverTime.now()): string {
  const seconds = (now - Date.parse(time)) / 1_000;
  return seconds < 0 ? `in ${age(-seconds)}` : `${age(seconds)} ago`;
}

/** Returns how long something took, or has taken so far; empty before it starts. */
export function elapsed(started: string | null, finished: string | null, now = serverTime.now()): string {
  if (started === null) return "";
  return duration(((finished === null ? now : Date.parse(finished)) - Date.parse(started)) / 1_000);
}

const units = ["B", "KiB", "MiB", "GiB", "TiB"];

/** Returns a size such as `1.5 MiB`. */
export function size(bytes: number): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const value = bytes / 1_024 ** power;
  return `${power > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} ${units[power]}`;
}
