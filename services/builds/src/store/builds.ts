import type { Nudge } from "@ci/kit/mongo/outbox";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { Fault, invalid } from "@ci/kit/rpc/fault";
import { BSON, type Db } from "mongodb";
import type { BuildDoc } from "../domain/build.js";
import { applyChange, type Change } from "../domain/change.js";
import { buildLeases } from "./build-leases.js";
import { buildQueries } from "./build-queries.js";
import { toUpdate } from "./build-update.js";
import { termsOfTags } from "./selection.js";

const maxAttempts = 50;
/** A document holds 16 MiB. The other half is for what a running build adds: events and the end of its output. */
const maxNewBytes = fixedLimit({
  max: 8 * 1024 ** 2,
  unit: "bytes",
  about: "record of a new build",
  refusal: "Manifest makes a build of more than N",
});

/** Called with a build before and after each change that was written. */
export type OnChange = (before: BuildDoc, after: BuildDoc) => void;

/** The builds. Every write that adds an event calls `nudge`, so that the relay publishes it soon. */
export const buildStore = (db: Db, nudge: Nudge, onChange: OnChange = () => undefined) => {
  const builds = db.collection<BuildDoc>("builds");

  async function existing(found: Promise<BuildDoc | null>): Promise<BuildDoc> {
    const doc = await found;
    if (!doc) throw new Fault("not_found", "Not Found");
    return doc;
  }

  return {
    ...buildQueries(builds),
    ...buildLeases(builds),

    async insert(doc: BuildDoc): Promise<void> {
      if (BSON.calculateObjectSize(doc) > maxNewBytes)
        throw invalid({ manifest: [`Manifest makes a build of more than ${maxNewBytes / 1024 ** 2} MiB`] });
      await builds.insertOne({ ...doc, tagTerms: termsOfTags(doc.tags) });
      nudge(builds as never, doc._id, doc.outbox[0]);
    },

    byId: (id: number) => existing(builds.findOne({ _id: id })),
    byNumber: (userId: number, number: number) => existing(builds.findOne({ userId, number })),
    ofRun: (cronId: number, cronDueAt: Date) => builds.findOne({ cronId, cronDueAt }),

    /**
     * Writes the change that `decide` returns, if any. If the build was changed meanwhile, calls `decide` again.
     * A caller that has just read the build passes it as `read` to save a query.
     */
    async change(id: number, decide: (doc: BuildDoc) => Change | undefined, read?: BuildDoc): Promise<BuildDoc> {
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        const doc = attempt === 0 && read ? read : await existing(builds.findOne({ _id: id }));
        const change = decide(doc);
        if (!change) return doc;
        const { matchedCount } = await builds.updateOne({ _id: id, rev: doc.rev }, toUpdate(doc, change));
        if (matchedCount === 0) continue;
        if (change.events?.length) nudge(builds as never, id, doc.outbox.length === 0 ? change.events[0] : undefined);
        const after = applyChange(doc, change);
        onChange(doc, after);
        return after;
      }
      throw new Fault("unavailable", `Build ${id} has too many concurrent changes`);
    },

    /** Removes the output before an offset from the tail, once it is stored in its own collection. */
    trimTail: (id: number, tailFrom: number) =>
      builds.updateOne(
        { _id: id, tailFrom: { $lt: tailFrom } },
        { $pull: { tail: { start: { $lt: tailFrom } } }, $set: { tailFrom } },
      ),
  };
};

export type BuildStore = ReturnType<typeof buildStore>;
