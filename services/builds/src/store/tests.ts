import { page } from "@ci/kit/mongo/page";
import type { BuildTest_Status } from "@ci/proto/builds/v1/builds";
import type { Db } from "mongodb";
import type { TestDoc } from "../domain/tests.js";

/** Stores the test cases that builds report. */
export const testStore = (db: Db) => {
  const tests = db.collection<TestDoc>("tests");

  return {
    /** Stores cases. Skips those that are already stored. */
    async put(docs: readonly TestDoc[]): Promise<void> {
      const writes = docs.map(({ _id, ...doc }) => ({
        updateOne: { filter: { _id }, update: { $setOnInsert: doc }, upsert: true },
      }));
      if (writes.length > 0) await tests.bulkWrite(writes, { ordered: false });
    },

    list(
      { buildId, epoch }: Pick<TestDoc, "buildId" | "epoch">,
      { status, slowestFirst }: { status?: BuildTest_Status | undefined; slowestFirst: boolean },
      number?: number,
    ) {
      const matching = { buildId, epoch, ...(status === undefined ? {} : { status }) };
      const order = { ...(slowestFirst ? { seconds: -1 as const } : {}), seq: 1 as const };
      return page(tests.find(matching).sort(order), number, (options) => tests.countDocuments(matching, options));
    },

    /** Removes the cases of attempts before this one. */
    removeBefore: (buildId: number, epoch: number) => tests.deleteMany({ buildId, epoch: { $lt: epoch } }),
  };
};

export type TestStore = ReturnType<typeof testStore>;
