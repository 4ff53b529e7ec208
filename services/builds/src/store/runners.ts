import type { Driver_Type } from "@ci/proto/builds/v1/queue";
import type { Db } from "mongodb";

interface RunnerDoc {
  /** The runner's own id, new at each of its starts. */
  _id: string;
  drivers: readonly Driver_Type[];
  /** When it was last heard of. */
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

  return {
    /** A runner has asked for builds of these drivers. */
    async asked(runnerId: string, drivers: readonly Driver_Type[], at: Date): Promise<void> {
      if (!isNews(runnerId, drivers.join(), at.getTime())) return;
      await runners.updateOne({ _id: runnerId }, { $set: { drivers: [...drivers], at } }, { upsert: true, ...quick });
    },

    /** A runner is busy and there: one whose places are all taken asks for nothing. */
    async isThere(runnerId: string, at: Date): Promise<void> {
      if (!isNews(runnerId, written.get(runnerId)?.drivers ?? "", at.getTime())) return;
      await runners.updateOne({ _id: runnerId }, { $set: { at } }, quick);
    },

    /** How many runners that were heard of since then serve a driver. */
    count: (driver: Driver_Type, since: Date): Promise<number> =>
      runners.countDocuments({ drivers: driver, at: { $gte: since } }),

    /** Whether any runner that was heard of since then serves a driver. */
    serves: async (driver: Driver_Type, since: Date): Promise<boolean> =>
      (await runners.findOne({ drivers: driver, at: { $gte: since } }, { projection: { _id: 1 } })) !== null,
  };
};

export type RunnerStore = ReturnType<typeof runnerStore>;
