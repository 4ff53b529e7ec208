import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { quoted } from "@ci/kit/rpc/fault";
import type { Cron } from "@ci/proto/builds/v1/crons";
import { Cron as Expression } from "croner";
import { wallClock } from "./wall-clock.js";

type Timing = Pick<Cron, "schedule" | "expression" | "timezone">;

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
/** No date is rarer than 29 February on a given day of the week. */
const maxYearsApart = 40;

const isWord = (text: string): text is Word => Object.hasOwn(words, text);

/** Returns a function that returns the first time of a schedule after another, in UTC. Throws if the text is invalid. */
function timesOf(text: string, since: number): (after: number) => number | undefined {
  const year = new Date(since).getUTCFullYear();
  const times = new Expression(`0 ${text} ${year}-${year + maxYearsApart}`, {
    utcOffset: 0,
    mode: "7-part",
    paused: true,
  });
  return (after) => times.nextRun(new Date(after))?.getTime();
}

function readSchedule(text: string): Pick<Timing, "schedule" | "expression"> | { complaint: string } {
  if (text === "") return { schedule: "daily", expression: undefined };
  if (isWord(text)) return { schedule: text, expression: undefined };
  if (text.length > maxLength) return { complaint: `Schedule cannot be longer than ${maxLength} characters in length` };
  const expression = text.trim().replace(/\s+/g, " ");
  const timing = { schedule: "custom" as const, expression };
  try {
    if (fiveFields.test(expression))
      return timesOf(expression, 0)(0) === undefined
        ? { complaint: `Schedule ${quoted(expression)} never comes; choose a day that exists` }
        : timing;
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

/**
 * Returns the first run after `after`. If the zone's clocks skip a time, the next existing time counts, except in schedules
 * for every hour. If a time occurs twice, the first one counts, except in schedules whose field of hours begins with `*`.
 */
export function nextRun({ schedule, expression = "", timezone = defaultZone }: Timing, after: Date): Date {
  const text = isWord(schedule) ? words[schedule] : expression;
  const hours = text.split(" ")[1]!;
  const clock = wallClock(timezone);
  const since = Math.floor(after.getTime() / 1_000) * 1_000;
  const earliest = clock.earliestAfter(since);
  const timeAfter = timesOf(text, earliest);

  function firstRun(occurrence: "first" | "last", from: number): number {
    for (let time = timeAfter(from); time !== undefined; time = timeAfter(time)) {
      const moments = clock.moments(time);
      if (moments[occurrence] > since && !(moments.skipped && hours === "*")) return moments[occurrence];
    }
    throw new Error("A schedule that was accepted has no next run");
  }

  const first = firstRun("first", clock.shown(since));
  if (!hours.startsWith("*")) return new Date(first);
  return new Date(Math.min(first, firstRun("last", earliest)));
}
