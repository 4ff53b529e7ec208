import { page } from "@ci/kit/mongo/page";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { ClaimBuildRequest, Driver_Type } from "@ci/proto/builds/v1/queue";
import type { Db, Document, FindCursor, UpdateOptions } from "mongodb";

interface RunnerDoc {
  /** The runner's own id, new at each of its starts. */
  _id: string;
  drivers: readonly Driver_Type[];
  /** Most builds that it runs at the same time. */
  places?: number;
  /** When it last reported, by the clock of MongoDB. */
  at: Date;
}

type Claim = Pick<ClaimBuildRequest, "runnerId" | "drivers" | "places">;

/** Runners whose last write this process remembers. */
const maxRemembered = fixedLimit({
  max: 10_000,
  about: "runners whose last report a process remembers",
  effect: "the oldest is forgotten and stored again",
});

/** Stores which runners are alive, each at most once per `everyMs`. A TTL index removes runners that are gone. */
export const runnerStore = (db: Db, everyMs: number) => {
  const runners = db.collection<RunnerDoc>("runners");
  const quick = { writeConcern: { w: 1, journal: false } } as const;
  const written = new Map<string, { at: number; drivers: string }>();

  function needsWrite(runnerId: string, drivers: string, at: number): boolean {
    const last = written.get(runnerId);
    if (last && last.drivers === drivers && Math.abs(at - last.at) < everyMs) return false;
    if (written.size >= maxRemembered) written.delete(written.keys().next().value!);
    written.set(runnerId, { at, drivers });
    return true;
  }

  const seenWithin = (withinMs: number) => ({ $gte: ["$at", { $subtract: ["$$NOW", withinMs] }] });
  const activeWithin = (driver: Driver_Type, withinMs: number) => ({ drivers: driver, $expr: seenWithin(withinMs) });

  async function write(runnerId: string, update: Document[], options: UpdateOptions): Promise<void> {
    try {
      await runners.updateOne({ _id: runnerId }, update, options);
    } catch (error) {
      written.delete(runnerId);
      throw error;
    }
  }

  return {
    /** Records that a runner asked for builds of these drivers. `at` is the time of this process. */
    async recordClaim({ runnerId, drivers, places }: Claim, at: Date): Promise<void> {
      if (!needsWrite(runnerId, drivers.join(), at.getTime())) return;
      const update = [{ $set: { drivers: [...drivers], ...(places === undefined ? {} : { places }), at: "$$NOW" } }];
      await write(runnerId, update, { upsert: true, ...quick });
    },

    /** Records that a busy runner is alive; it renews leases but does not claim. `at` is the time of this process. */
    async recordRenewal(runnerId: string, at: Date): Promise<void> {
      if (!needsWrite(runnerId, written.get(runnerId)?.drivers ?? "", at.getTime())) return;
      await write(runnerId, [{ $set: { at: "$$NOW" } }], quick);
    },

    count: (driver: Driver_Type, withinMs: number): Promise<number> =>
      runners.countDocuments(activeWithin(driver, withinMs)),

    countAll: (withinMs: number): Promise<number> =>
      runners.countDocuments({ at: { $gt: new Date(0) }, $expr: seenWithin(withinMs) }),

    /** Returns a page of runners by id, with whether each has reported within a time. */
    async list(withinMs: number, number?: number) {
      const projection = { drivers: 1, places: 1, at: 1, active: seenWithin(withinMs) };
      const found = runners.find({}, { projection }).sort({ _id: 1 });
      return page(found as FindCursor<RunnerDoc & { active: boolean }>, number, (options) =>
        runners.countDocuments({ at: { $gt: new Date(0) } }, options),
      );
    },

    serves: async (driver: Driver_Type, withinMs: number): Promise<boolean> =>
      (await runners.findOne(activeWithin(driver, withinMs), { projection: { _id: 1 } })) !== null,
  };
};

export type RunnerStore = ReturnType<typeof runnerStore>;
