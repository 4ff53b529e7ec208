import { quoted } from "@ci/kit/rpc/fault";
import { Cron_Schedule } from "@ci/proto/builds/v1/crons";

export function readSchedule(text = ""): { schedule: Cron_Schedule } | { complaint: string } {
  if (text === "") return { schedule: "daily" };
  if (Object.hasOwn(Cron_Schedule, text)) return { schedule: text as Cron_Schedule };
  return { complaint: `Schedule invalid schedule ${quoted(text)}` };
}

/** Returns the first midnight in UTC after `after`: of any day, of a Monday, or of the first day of a month. */
export function nextRun(schedule: Cron_Schedule, after: Date): Date {
  const [year, month, day] = [after.getUTCFullYear(), after.getUTCMonth(), after.getUTCDate()];
  if (schedule === "monthly") return new Date(Date.UTC(year, month + 1, 1));
  const days = schedule === "daily" ? 1 : 8 - (after.getUTCDay() || 7);
  return new Date(Date.UTC(year, month, day + days));
}
