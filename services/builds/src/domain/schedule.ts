import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { quoted } from "@ci/kit/rpc/fault";
import type { Cron } from "@ci/proto/builds/v1/crons";
import { Cron as Expression } from "croner";

/** When a cron job runs. */
export type Timing = Pick<Cron, "schedule" | "expression" | "timezone">;

/** The words for common schedules, as cron expressions. */
const words = { hourly: "0 * * * *", daily: "0 0 * * *", weekly: "0 0 * * 1", monthly: "0 0 1 * *" } as const;
type Word = keyof typeof words;

const maxLength = fixedLimit({
  max: 255,
  about: "characters of the schedule of a cron job",
  refusal: "Schedule cannot be longer than N characters in length",
});
/** Five fields. The library also accepts other forms, such as `?` for the current time. */
const fiveFields = /^[\w*,/#-]+( [\w*,/#-]+){4}$/;
const defaultZone = "UTC";
const dayMs = 86_400_000;
const localeLikeIso = "sv-SE";

const isWord = (text: string): text is Word => Object.hasOwn(words, text);

const parse = (text: string, timezone: string) => new Expression(text, { timezone, mode: "5-part", paused: true });

/** Returns the first run after a time; null if there is none in the next years. Throws if the text is invalid. */
const firstAfter = ({ schedule, expression, timezone = defaultZone }: Timing, after: Date): Date | null =>
  parse(isWord(schedule) ? words[schedule] : (expression ?? ""), timezone).nextRun(after);

function readSchedule(text: string): Pick<Timing, "schedule" | "expression"> | { complaint: string } {
  if (text === "") return { schedule: "daily", expression: undefined };
  if (isWord(text)) return { schedule: text, expression: undefined };
  if (text.length > maxLength) return { complaint: `Schedule cannot be longer than ${maxLength} characters in length` };
  const expression = text.trim().replace(/\s+/g, " ");
  const timing = { schedule: "custom" as const, expression };
  try {
    if (fiveFields.test(expression))
      return firstAfter(timing, new Date(0))
        ? timing
        : { complaint: `Schedule ${quoted(expression)} never comes; choose a day that exists` };
  } catch {
    // The complaint below names the text.
  }
  return { complaint: `Schedule invalid schedule ${quoted(text)}` };
}

function zoneComplaints(timezone: string): string[] {
  try {
    if (/^[A-Za-z]/.test(timezone)) {
      new Intl.DateTimeFormat("en", { timeZone: timezone });
      return [];
    }
  } catch {
    // Intl throws for an unknown zone.
  }
  return [`Timezone invalid timezone ${quoted(timezone)}; it must be an IANA name such as Europe/Berlin`];
}

/** Parses when a cron job runs. Empty texts keep what it `was`, by default daily in UTC. Returns every complaint. */
export function readTiming(
  schedule = "",
  timezone = "",
  was?: Timing,
): { readonly timing?: Timing; readonly complaints: { readonly schedule: string[]; readonly timezone: string[] } } {
  const read = schedule === "" && was ? was : readSchedule(schedule);
  const aboutSchedule = "complaint" in read ? [read.complaint] : [];
  const zone = timezone === "" ? was?.timezone : timezone;
  const aboutZone = zone === undefined ? [] : zoneComplaints(zone);
  const complaints = { schedule: aboutSchedule, timezone: aboutZone };
  if ("complaint" in read || aboutZone.length > 0) return { complaints };
  return { timing: { schedule: read.schedule, expression: read.expression, timezone: zone }, complaints };
}

/** Reports whether two cron jobs run at the same times. */
export const isSameTiming = (a: Timing, b: Timing): boolean =>
  a.schedule === b.schedule && a.expression === b.expression && a.timezone === b.timezone;

/** Makes a function that reports whether clocks that were set back show a time of the day again. */
function repeats(timezone: string): (at: Date) => boolean {
  const format = new Intl.DateTimeFormat(localeLikeIso, {
    timeZone: timezone,
    dateStyle: "short",
    timeStyle: "medium",
  });
  const clock = (at: number) => Date.parse(`${format.format(at).replace(" ", "T")}Z`);
  return (at) => {
    const now = at.getTime();
    const setBackMs = clock(now - dayMs) + dayMs - clock(now);
    return setBackMs > 0 && clock(now - setBackMs) === clock(now);
  };
}

const isEveryHour = ({ schedule, expression = "" }: Timing): boolean =>
  (isWord(schedule) ? words[schedule] : expression).split(" ")[1]!.startsWith("*");

/**
 * Returns the first run after `after`. If the zone's clocks skip a time, the next existing time counts. If a time
 * occurs twice, the first one counts, except in schedules whose field of hours begins with `*`.
 */
export function nextRun(timing: Timing, after: Date): Date {
  let next = firstAfter(timing, after);
  const isRepeated = isEveryHour(timing) ? () => false : repeats(timing.timezone ?? defaultZone);
  while (next && isRepeated(next)) next = firstAfter(timing, next);
  if (!next) throw new Error("A schedule that was accepted has no next run");
  return next;
}
