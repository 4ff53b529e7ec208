import type { GetQueueResponse, QueuePeriod, Runner } from "@ci/proto/builds/v1/operators";
import { Driver_Type } from "@ci/proto/builds/v1/queue";
import { z } from "zod";
import { record, timestamp } from "./schema.js";
import { time, timeOrNull } from "./time.js";

const count = z.int().nonnegative();

export const runnerSchema = record("Runner", "A process that runs builds", {
  id: z.string().describe("Id of the process, which changes with each start"),
  drivers: z.array(z.enum(Driver_Type)).describe("Drivers that it serves"),
  busy: count.describe("Number of builds that it is running"),
  places: count
    .nullable()
    .describe("Number of builds that it may run at the same time; null for runners of older versions"),
  seen_at: timestamp.describe("When it last reported"),
  active: z.boolean().describe("Whether it reported recently. A runner that is gone stays listed for an hour"),
});

export const runnerJson = ({ id, drivers, busy, places, seenAt, active }: Runner): z.output<typeof runnerSchema> => ({
  id,
  drivers: [...drivers],
  busy,
  places: places ?? null,
  seen_at: time(seenAt),
  active,
});

const driverSchema = z.object({
  driver: z.enum(Driver_Type).describe("The driver"),
  queued: count.describe("Number of queued builds, up to 100,000"),
  running: count.describe("Number of running builds, up to 100,000"),
  runners: count.describe("Number of active runners that serve it"),
});

const periodSchema = z.object({
  at: timestamp.describe("Start of the period"),
  queued: count.describe("Highest number of queued builds"),
  running: count.describe("Highest number of running builds"),
  runners: count.describe("Highest number of active runners"),
  started: count.describe("Number of builds that started"),
  wait_seconds: z
    .number()
    .nonnegative()
    .nullable()
    .describe("Mean time in the queue of the builds that started; null if none started"),
  finished: count.describe("Number of started builds that ended"),
  run_seconds: z
    .number()
    .nonnegative()
    .nullable()
    .describe("Mean duration of the builds that ended; null if none ended"),
});

export const queueSchema = record("Queue", "Numbers of queued and running builds, with their history", {
  oldest_since: timestamp.nullable().describe("When the oldest queued build was queued; null if none is queued"),
  drivers: z.array(driverSchema).describe("The current numbers for each driver"),
  period_minutes: count.describe("Length of a period of the history"),
  history: z
    .array(periodSchema)
    .describe("The history, oldest first, in at most 61 periods. Periods in which the service was down are missing"),
});

/** Returns a mean in seconds; null if `count` is 0. */
const meanSeconds = (ms: number, count: number): number | null => (count > 0 ? Math.round(ms / count) / 1_000 : null);

const periodJson = ({ at, queued, running, runners, started, waitedMs, finished, ranMs }: QueuePeriod) => ({
  at: time(at),
  queued,
  running,
  runners,
  started,
  wait_seconds: meanSeconds(waitedMs, started),
  finished,
  run_seconds: meanSeconds(ranMs, finished),
});

export const queueJson = (queue: GetQueueResponse): z.output<typeof queueSchema> => ({
  oldest_since: timeOrNull(queue.oldestSince),
  drivers: queue.drivers.map(({ driver, queued, running, runners }) => ({ driver, queued, running, runners })),
  period_minutes: queue.periodMinutes,
  history: queue.history.map(periodJson),
});
