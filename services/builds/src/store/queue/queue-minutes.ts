import { isMongoAway } from "@ci/kit/mongo/mongo-away";
import type { QueuePeriod } from "@ci/proto/builds/v1/operators";
import type { Db } from "mongodb";
import { type BuildDoc, isFinal } from "../../domain/build.js";

type Level = Pick<QueuePeriod, "queued" | "running" | "runners">;
type Happened = Pick<QueuePeriod, "started" | "waitedMs" | "finished" | "ranMs">;

/** One minute of the queue. Replicas write the same document. A TTL index removes it after a day. */
type MinuteDoc = Level & Happened & { _id: number; at: Date };

const minuteMs = 60_000;
const nothing: Happened = { started: 0, waitedMs: 0, finished: 0, ranMs: 0 };

/** Stores the history of the queue by minute. */
export const queueMinuteStore = (db: Db) => {
  const minutes = db.collection<MinuteDoc>("queueMinutes");
  let happened = nothing;

  const add = (more: Happened) => {
    happened = {
      started: happened.started + more.started,
      waitedMs: happened.waitedMs + more.waitedMs,
      finished: happened.finished + more.finished,
      ranMs: happened.ranMs + more.ranMs,
    };
  };

  return {
    /** Counts the start or end of a build in memory until it is recorded. */
    changed(before: BuildDoc, after: BuildDoc): void {
      if (before.status === after.status) return;
      const between = (from?: Date, to?: Date) => Math.max(0, (to?.getTime() ?? 0) - (from?.getTime() ?? 0));
      if (after.status === "running")
        add({ ...nothing, started: 1, waitedMs: between(after.createdAt, after.startedAt) });
      if (before.status === "running" && isFinal(after.status))
        add({ ...nothing, finished: 1, ranMs: between(after.startedAt, after.finishedAt) });
    },

    async record(now: Date, level: Level): Promise<void> {
      const minute = Math.floor(now.getTime() / minuteMs);
      const counted = happened;
      happened = nothing;
      try {
        const at = new Date(minute * minuteMs);
        await minutes.updateOne({ _id: minute }, { $set: { ...level, at }, $inc: { ...counted } }, { upsert: true });
      } catch (error) {
        if (!isMongoAway(error)) add(counted);
        throw error;
      }
    },

    /** Returns the last hours in periods of some minutes, oldest first. */
    history(hours: number, periodMinutes: number): Promise<QueuePeriod[]> {
      const since = { $dateSubtract: { startDate: "$$NOW", unit: "hour", amount: hours } };
      const most = (field: keyof Level) => ({ [field]: { $max: `$${field}` } });
      const sum = (field: keyof Happened) => ({ [field]: { $sum: `$${field}` } });
      return minutes
        .aggregate<QueuePeriod>([
          { $match: { at: { $gt: new Date(0) }, $expr: { $gte: ["$at", since] } } },
          {
            $group: {
              _id: { $dateTrunc: { date: "$at", unit: "minute", binSize: periodMinutes } },
              ...most("queued"),
              ...most("running"),
              ...most("runners"),
              ...sum("started"),
              ...sum("waitedMs"),
              ...sum("finished"),
              ...sum("ranMs"),
            },
          },
          { $sort: { _id: 1 } },
          { $set: { at: "$_id" } },
          { $unset: "_id" },
        ])
        .toArray();
    },
  };
};

export type QueueMinuteStore = ReturnType<typeof queueMinuteStore>;
