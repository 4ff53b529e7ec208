import type { Driver_Type } from "@ci/proto/builds/v1/queue";
import type { Db } from "mongodb";

interface RunnerDoc {
  /** The runner's own id, new at each of its starts. */
  _id: string;
  drivers: readonly Driver_Type[];
  /** When it was last heard of, by the clock of MongoDB. */
  at: Date;
}

/** Runners this process remembers having written down. */
const mostKnown = 10_000;

/**
 * Which runners are there, so that every replica knows. Of one that asks all the time only one word in `everyMs` is
 * written; an index forgets those who are gone.
 */
export const runnerStore = (db: Db, everyMs: number) => {
  const runners = db.collection<RunnerDoc>("runners");
  const quick = { writeConcern: { w: 1, journal: false } } as const;
  const written = new Map<string, { at: number; drivers: string }>();

  function isNews(runnerId: string, drivers: string, at: number): boolean {
    const last = written.get(runnerId);
    if (last && last.drivers === drivers && Math.abs(at - last.at) < everyMs) return false;
    if (written.size >= mostKnown) written.delete(written.keys().next().value!);
    written.set(runnerId, { at, drivers });
    return true;
  }

  const heardOf = (driver: Driver_Type, withinMs: number) => ({
    drivers: driver,
    $expr: { $gte: ["$at", { $subtract: ["$$NOW", withinMs] }] },
  });

  return {
    /** A runner has asked for builds of these drivers. `at` is the time of this process. */
    async asked(runnerId: string, drivers: readonly Driver_Type[], at: Date): Promise<void> {
      if (!isNews(runnerId, drivers.join(), at.getTime())) return;
      const heard = [{ $set: { drivers: [...drivers], at: "$$NOW" } }];
      await runners.updateOne({ _id: runnerId }, heard, { upsert: true, ...quick });
    },

    /** A runner is busy and there: one whose places are all taken asks for nothing. `at` is the time of this process. */
    async isThere(runnerId: string, at: Date): Promise<void> {
      if (!isNews(runnerId, written.get(runnerId)?.drivers ?? "", at.getTime())) return;
      await runners.updateOne({ _id: runnerId }, [{ $set: { at: "$$NOW" } }], quick);
    },

    /** How many runners that were heard of within this time serve a driver. */
    count: (driver: Driver_Type, withinMs: number): Promise<number> =>
      runners.countDocuments(heardOf(driver, withinMs)),

    /** Whether any runner that was heard of within this time serves a driver. */
    serves: async (driver: Driver_Type, withinMs: number): Promise<boolean> =>
      (await runners.findOne(heardOf(driver, withinMs), { projection: { _id: 1 } })) !== null,
  };
};

export type RunnerStore = ReturnType<typeof runnerStore>;
