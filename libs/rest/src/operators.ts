import type { GetQueueResponse, QueuePeriod, Runner } from "@ci/proto/builds/v1/operators";
import { Driver_Type } from "@ci/proto/builds/v1/queue";
import { z } from "zod";
import { record, timestamp } from "./schema.js";
import { time, timeOrNull } from "./time.js";

const count = z.int().nonnegative();

export const runnerSchema = record("Runner", "A process that runs builds", {
  id: z.string().describe("Id of the process; another one after each of its starts"),
  drivers: z.array(z.enum(Driver_Type)).describe("Drivers that it serves"),
  busy: count.describe("Number of builds that it runs"),
  places: count.nullable().describe("Number of builds that it runs at most; null for runners of older versions"),
  seen_at: timestamp.describe("When it last called"),
  active: z.boolean().describe("Whether it called recently. A runner that is gone is listed for an hour"),
});

export const runnerJson = ({ id, drivers, busy, places, seenAt, active }: Runner): z.output<typeof runnerSchema> => ({
  ...{ id, drivers: [...drivers], busy, places: places ?? null, seen_at: time(seenAt), active },
});

const driverSchema = z.object({
  driver: z.enum(Driver_Type).describe("The driver"),
  queued: count.describe("Number of builds that wait, up to 100,000"),
  running: count.describe("Number of builds that run, up to 100,000"),
  runners: count.describe("Number of active runners that serve it"),
});

const periodSchema = z.object({
  at: timestamp.describe("Beginning of the period"),
  queued: count.describe("The most builds that waited"),
  running: count.describe("The most builds that ran"),
  runners: count.describe("The most active runners"),
  started: count.describe("Number of builds that began"),
  wait_seconds: z.number().nonnegative().nullable().describe("How long they had waited on average; null if none began"),
  finished: count.describe("Number of builds that ended after they had begun"),
  run_seconds: z.number().nonnegative().nullable().describe("How long they ran on average; null if none ended"),
});

export const queueSchema = record("Queue", "The builds that wait and run, now and before", {
  oldest_since: timestamp.nullable().describe("Since when the oldest build waits; null if none does"),
  drivers: z.array(driverSchema).describe("The builds of each driver now"),
  period_minutes: count.describe("Length of a period of the history"),
  history: z
    .array(periodSchema)
    .describe("The past, oldest first, in at most 61 periods. Those without a running service are missing"),
});

/** Returns a mean in seconds; null for that of nothing. */
const meanSeconds = (ms: number, count: number): number | null => (count > 0 ? Math.round(ms / count) / 1_000 : null);

const periodJson = ({ at, queued, running, runners, started, waitedMs, finished, ranMs }: QueuePeriod) => ({
  ...{ at: time(at), queued, running, runners, started, wait_seconds: meanSeconds(waitedMs, started) },
  ...{ finished, run_seconds: meanSeconds(ranMs, finished) },
});

export const queueJson = (queue: GetQueueResponse): z.output<typeof queueSchema> => ({
  oldest_since: timeOrNull(queue.oldestSince),
  drivers: queue.drivers.map(({ driver, queued, running, runners }) => ({ driver, queued, running, runners })),
  period_minutes: queue.periodMinutes,
  history: queue.history.map(periodJson),
});
