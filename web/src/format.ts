const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** Formats a time span: `0.4 s`, `12 s`, `3 min 5 s`, `2 h 10 min`. */
export function duration(seconds: number): string {
  if (seconds < 10) return `${Math.max(0, seconds).toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < minute) return `${whole} s`;
  if (whole < hour) return `${Math.floor(whole / minute)} min ${whole % minute} s`;
  if (whole < day) return `${Math.floor(whole / hour)} h ${Math.floor((whole % hour) / minute)} min`;
  return `${Math.floor(whole / day)} d ${Math.floor((whole % day) / hour)} h`;
}

/** Returns how long something took or has taken; empty before its start. */
export function spent(startedAt: string | null, finishedAt: string | null, now: number): string {
  if (!startedAt) return "";
  const end = finishedAt ? Date.parse(finishedAt) : now;
  return duration((end - Date.parse(startedAt)) / 1_000);
}

/** Formats a size: `512 B`, `1.5 KiB`, `20 MiB`. */
export function size(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1);
  const value = bytes / 1024 ** power;
  return `${power === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}

/** Formats a number of things: `1 line`, `2 lines`. */
export const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? "" : "s"}`;

/** Returns how long ago a time is: `just now`, `5 min ago`, `3 d ago`. */
export function ago(time: string, now: number): string {
  const seconds = (now - Date.parse(time)) / 1_000;
  if (seconds < 10) return "just now";
  if (seconds < minute) return `${Math.floor(seconds)} s ago`;
  if (seconds < hour) return `${Math.floor(seconds / minute)} min ago`;
  if (seconds < day) return `${Math.floor(seconds / hour)} h ago`;
  return `${Math.floor(seconds / day)} d ago`;
}

/** Returns how far ahead a time is: `now`, `in 5 min 20 s`, `in 3 d 2 h`. */
export function ahead(time: string, now: number): string {
  const seconds = Math.round((Date.parse(time) - now) / 1_000);
  return seconds < 10 ? "now" : `in ${duration(seconds)}`;
}

const moments = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** Formats a time in the reader's time zone and locale. */
export const moment = (time: string): string => moments.format(new Date(time));

/** Turns a field's name into words: `created_at` into `Created at`. */
export function words(name: string): string {
  const text = name.replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const statusWords: Readonly<Record<string, string>> = {
  passed_with_failures: "passed with failures",
  timed_out: "timed out",
  by_hand: "set up by hand",
};

export const statusText = (status: string): string => statusWords[status] ?? status;

/** Reports whether the reason of a status is in the output. */
export const hasFailed = (status: string): boolean => ["failed", "timed_out", "killed"].includes(status);

export const isFinished = (status: string): boolean => status !== "queued" && status !== "running";
