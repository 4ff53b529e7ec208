import { type Nudge, newsOf } from "@ci/kit/mongo/outbox";
import type { Db } from "mongodb";
import type { BuildDoc } from "../domain/build.js";
import type { ShownBuild } from "../domain/shown-build.js";
import { buildLeases } from "./build-leases.js";
import { buildQueries } from "./build-queries.js";
import { buildWriter, existing, type OnChange } from "./build-writer.js";
import { followedBuilds } from "./followed-builds.js";
import { groupBuilds } from "./group-builds.js";
import { groupStore } from "./groups.js";
import { hookBuilds } from "./hooks/hook-builds.js";
import { buildInserter } from "./insert-builds.js";
import { buildLocator } from "./locate-build.js";
import { requireStorable } from "./new-builds.js";
import { recentBuilds } from "./recent-builds.js";
import { releasedBuilds } from "./released-builds.js";
import { shown } from "./shown-builds.js";
import { unrecordedBuilds } from "./unrecorded-builds.js";

export type KeyedBuild = Pick<BuildDoc, "_id" | "userId" | "number" | "group"> &
  Required<Pick<BuildDoc, "idempotency">>;

export type RunBuild = Pick<BuildDoc, "_id" | "userId" | "number" | "group" | "createdAt">;

/** The builds. Every write that adds an event calls `nudge`, so that the relay publishes it soon. */
export const buildStore = (db: Db, nudge: Nudge, onChange: OnChange = () => undefined) => {
  const builds = db.collection<BuildDoc>("builds");
  const groups = groupStore(db, builds);
  const recent = recentBuilds();
  const located = buildLocator(builds);
  const insertOne = buildInserter(builds);
  const { change } = buildWriter(builds, recent, nudge, onChange);

  return {
    ...buildQueries(builds),
    ...followedBuilds(builds),
    ...hookBuilds(builds),
    ...groupBuilds(builds),
    ...releasedBuilds(builds),
    ...unrecordedBuilds(builds),
    ...buildLeases(builds, recent),
    locate: located.locate,

    /**
     * Stores and returns the new builds of one request: all of them, even if the process dies, or none if the first one
     * exists already. Throws the signal's reason if it fires before.
     */
    async insert(docs: readonly BuildDoc[], signal?: AbortSignal): Promise<readonly BuildDoc[]> {
      const made = await requireStorable(docs);
      const [first, ...others] = made.stored;
      signal?.throwIfAborted();
      if (others.length === 0) await insertOne(first!, made.bytes, signal);
      const stored = others.length === 0 ? { docs, isNew: true } : await groups.insertGroup([first!, ...others]);
      for (const doc of stored.docs) {
        located.remember(doc);
        nudge(builds as never, doc._id, stored.isNew ? newsOf(doc.outbox) : undefined);
      }
      return stored.docs;
    },

    completeGroups: groups.completeGroups,

    byId: (id: number) => existing(builds.findOne({ _id: id })),
    /** Returns a build as it is now. Reads only its revision if this process remembers the rest. */
    async current(id: number): Promise<BuildDoc> {
      const known = recent.get(id);
      if (known && (await builds.findOne({ _id: id, rev: known.rev }, { projection: { _id: 1 } }))) return known;
      const doc = await existing(builds.findOne({ _id: id }));
      recent.keep(doc);
      return doc;
    },
    /** Returns what the record of a build shows, and more of its fields. A whole record may have megabytes. */
    byNumber: <F extends keyof BuildDoc = never>(userId: number, number: number, more: readonly F[] = []) =>
      existing<ShownBuild & Pick<BuildDoc, F>>(
        builds.findOne(
          { userId, number },
          { projection: { ...shown, ...Object.fromEntries(more.map((key) => [key, 1])) } },
        ),
      ),
    ofRun: (cronId: number, cronDueAt: Date): Promise<RunBuild | null> =>
      builds.findOne({ cronId, cronDueAt }, { projection: { userId: 1, number: 1, group: 1, createdAt: 1 } }),

    ofKey: (key: string): Promise<KeyedBuild | null> =>
      builds.findOne<KeyedBuild>(
        { "idempotency.key": key },
        { projection: { userId: 1, number: 1, group: 1, idempotency: 1 } },
      ),

    /** Waits until a majority has a build that `ofKey` has found. Returns false if MongoDB has taken it back. */
    confirmKey: async ({ _id, idempotency: { key } }: KeyedBuild): Promise<boolean> =>
      (await builds.updateOne({ _id, "idempotency.key": key }, { $set: { "idempotency.key": key } })).matchedCount > 0,

    change,

    /** Removes the output before an offset from the tail, once it is stored in its own collection. */
    async trimTail(id: number, tailFrom: number): Promise<void> {
      recent.forget(id);
      await builds.updateOne(
        { _id: id, tailFrom: { $lt: tailFrom } },
        { $pull: { tail: { start: { $lt: tailFrom } } }, $set: { tailFrom } },
      );
    },
  };
};

export type BuildStore = ReturnType<typeof buildStore>;
