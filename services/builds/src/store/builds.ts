import { type Nudge, newsOf } from "@ci/kit/mongo/outbox";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { Fault, invalid } from "@ci/kit/rpc/fault";
import { BSON, type Db } from "mongodb";
import type { BuildDoc } from "../domain/build.js";
import { applyChange, type Change } from "../domain/change.js";
import { buildLeases } from "./build-leases.js";
import { buildQueries } from "./build-queries.js";
import { toUpdate } from "./build-update.js";
import { recentBuilds } from "./recent-builds.js";
import { termsOfTags } from "./selection.js";

const maxAttempts = 50;
/** A document holds 16 MiB. The other half is for what a running build adds: events and the end of its output. */
const maxNewBytes = fixedLimit({
  max: 8 * 1024 ** 2,
  unit: "bytes",
  about: "record of a new build",
  refusal: "Manifest makes a build of more than N",
});

type Decide = (doc: BuildDoc) => Change | undefined;

/** Called with a build before and after each change that was written. */
export type OnChange = (before: BuildDoc, after: BuildDoc) => void;

/** The builds. Every write that adds an event calls `nudge`, so that the relay publishes it soon. */
export const buildStore = (db: Db, nudge: Nudge, onChange: OnChange = () => undefined) => {
  const builds = db.collection<BuildDoc>("builds");
  const leases = buildLeases(builds);
  const recent = recentBuilds();

  async function existing(found: Promise<BuildDoc | null>): Promise<BuildDoc> {
    const doc = await found;
    if (!doc) throw new Fault("not_found", "Not Found");
    return doc;
  }

  /** Writes a change unless the build has another revision by now. */
  async function write(doc: BuildDoc, change: Change): Promise<BuildDoc | undefined> {
    const { _id, rev, outbox } = doc;
    const { matchedCount } = await builds.updateOne({ _id, rev }, toUpdate(doc, change));
    if (matchedCount === 0) return undefined;
    const { events = [] } = change;
    if (events.length > 0) nudge(builds as never, _id, newsOf(events, outbox));
    const after = applyChange(doc, change);
    onChange(doc, after);
    recent.keep({ ...after, rev: rev + 1, outbox: [...outbox, ...events] });
    return after;
  }

  /** Changes a build as it is remembered. Returns undefined unless that was written: only a write proves it up to date. */
  async function tryRemembered(doc: BuildDoc, decide: Decide): Promise<BuildDoc | undefined> {
    let change: Change | undefined;
    try {
      change = decide(doc);
    } catch {
      return undefined;
    }
    return change && (await write(doc, change));
  }

  return {
    ...buildQueries(builds),
    ...leases,

    renew(...lease: Parameters<typeof leases.renew>) {
      // A renewal is a revision too.
      recent.take(lease[0]);
      return leases.renew(...lease);
    },

    async insert(doc: BuildDoc): Promise<void> {
      if (BSON.calculateObjectSize(doc) > maxNewBytes)
        throw invalid({ manifest: [`Manifest makes a build of more than ${maxNewBytes / 1024 ** 2} MiB`] });
      await builds.insertOne({ ...doc, tagTerms: termsOfTags(doc.tags) });
      nudge(builds as never, doc._id, newsOf(doc.outbox));
    },

    byId: (id: number) => existing(builds.findOne({ _id: id })),
    byNumber: (userId: number, number: number) => existing(builds.findOne({ userId, number })),
    ofRun: (cronId: number, cronDueAt: Date) => builds.findOne({ cronId, cronDueAt }),

    /**
     * Writes the change that `decide` returns, if any. If the build was changed meanwhile, calls `decide` again.
     * A caller that has just read the build passes it as `read` to save a query.
     */
    async change(id: number, decide: Decide, read?: BuildDoc): Promise<BuildDoc> {
      const remembered = recent.take(id);
      const guessed = !read && remembered && (await tryRemembered(remembered, decide));
      if (guessed) return guessed;
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        const doc = attempt === 0 && read ? read : await existing(builds.findOne({ _id: id }));
        const change = decide(doc);
        if (!change) return doc;
        const after = await write(doc, change);
        if (after) return after;
      }
      throw new Fault("unavailable", `Build ${id} has too many concurrent changes`);
    },

    /** Removes the output before an offset from the tail, once it is stored in its own collection. */
    async trimTail(id: number, tailFrom: number): Promise<void> {
      recent.take(id);
      await builds.updateOne(
        { _id: id, tailFrom: { $lt: tailFrom } },
        { $pull: { tail: { start: { $lt: tailFrom } } }, $set: { tailFrom } },
      );
    },
  };
};

export type BuildStore = ReturnType<typeof buildStore>;
