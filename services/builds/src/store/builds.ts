import { listPage } from "@ci/kit/mongo/listing";
import type { Nudge } from "@ci/kit/mongo/outbox";
import { Fault, invalid } from "@ci/kit/rpc/fault";
import { BSON, type Db, type Document, type UpdateFilter } from "mongodb";
import type { BuildDoc, HeldLease } from "../domain/build.js";
import { applied, type Change } from "../domain/change.js";
import { countChange } from "../metrics.js";
import { filtersOf, newestFirst, type Selection, termsOfTags, type Uses, usersOf } from "./selection.js";

const mostTries = 50;
/** A document has 16 MiB; what a build adds while it runs, events and the end of its output, needs room. */
const mostNewBytes = 8 * 1024 ** 2;

const leaseFor = (leaseMs: number) => ({ $add: ["$$NOW", leaseMs] });

/** A change with a lease is a pipeline: nothing else reads the clock of the database. */
function asPipeline(set: object, removed: readonly string[], { say = [], events = [], leaseMs }: Change): Document[] {
  const values = Object.entries(set).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, { $literal: value }]],
  );
  const longer = (field: string, more: readonly unknown[]) => ({ $concatArrays: [`$${field}`, { $literal: more }] });
  const lists = { tail: longer("tail", say), outbox: longer("outbox", events) };
  return [
    { $set: { ...Object.fromEntries(values), ...lists } },
    { $set: { "lease.until": leaseFor(leaseMs!) } },
    ...(removed.length > 0 ? [{ $unset: removed }] : []),
  ];
}

/** A change that removes fields is a $set and an $unset. */
function asUpdate(doc: BuildDoc, change: Change): UpdateFilter<BuildDoc> | Document[] {
  const { set: given, say = [], events = [] } = change;
  const set = given.tags ? { ...given, tagTerms: termsOfTags(given.tags) } : given;
  const removed = Object.entries(set).filter(([, value]) => value === undefined);
  if (change.leaseMs !== undefined)
    return asPipeline(
      { ...set, rev: doc.rev + 1 },
      removed.map(([key]) => key),
      change,
    );
  const push = {
    ...(say.length > 0 ? { tail: { $each: say } } : {}),
    ...(events.length > 0 ? { outbox: { $each: events } } : {}),
  };
  return {
    $set: { ...set, rev: doc.rev + 1 },
    ...(removed.length > 0 ? { $unset: Object.fromEntries(removed.map(([key]) => [key, true])) as never } : {}),
    ...(Object.keys(push).length > 0 ? { $push: push as never } : {}),
  };
}

/** The builds. Whatever is written tells `news` that the document may have events to relay. */
export const buildStore = (db: Db, news: Nudge) => {
  const builds = db.collection<BuildDoc>("builds");

  async function must(found: Promise<BuildDoc | null>): Promise<BuildDoc> {
    const doc = await found;
    if (!doc) throw new Fault("not_found", "Not Found");
    return doc;
  }

  return {
    /** Stores a new build with its event. */
    async insert(doc: BuildDoc): Promise<void> {
      if (BSON.calculateObjectSize(doc) > mostNewBytes)
        throw invalid({ manifest: [`Manifest makes a build of more than ${mostNewBytes / 1024 ** 2} MiB`] });
      await builds.insertOne({ ...doc, tagTerms: termsOfTags(doc.tags) });
      news(builds as never, doc._id, doc.outbox[0]);
    },

    byId: (id: number) => must(builds.findOne({ _id: id })),
    byNumber: (userId: number, number: number) => must(builds.findOne({ userId, number })),
    /** The build that a run of a cron job has made. */
    ofRun: (cronId: number, cronDueAt: Date) => builds.findOne({ cronId, cronDueAt }),

    /**
     * Reads a build, lets `decide` say what happens to it, and writes that if nothing else was written in between;
     * else it asks again. Undefined from `decide` writes nothing. Answers the build as it is then.
     * Whoever has just read the build may give it along, which saves the first reading.
     */
    async change(id: number, decide: (doc: BuildDoc) => Change | undefined, read?: BuildDoc): Promise<BuildDoc> {
      for (let tries = 0; tries < mostTries; tries++) {
        const doc = tries === 0 && read ? read : await must(builds.findOne({ _id: id }));
        const change = decide(doc);
        if (!change) return doc;
        const { matchedCount } = await builds.updateOne({ _id: id, rev: doc.rev }, asUpdate(doc, change));
        if (matchedCount === 0) continue;
        if (change.events?.length) news(builds as never, id, doc.outbox.length === 0 ? change.events[0] : undefined);
        const after = applied(doc, change);
        countChange(doc, after);
        return after;
      }
      throw new Fault("unavailable", `Build ${id} is changed by too many at once`);
    },

    /** Newest first. */
    list: (selection: Selection, number: number | undefined) =>
      listPage(builds, filtersOf(selection), newestFirst, number),

    /** The namespaces that the users of an object, or the builds of a cron job, lie in. */
    namespacesOf: async (of: Uses): Promise<number[]> =>
      (await builds.distinct("namespaceId", usersOf(of))).filter((id) => id !== undefined && id !== null),

    /** The newest build of one namespace by submission. */
    latest: (namespaceId: number) => builds.find({ namespaceId }).sort(newestFirst).limit(1).next(),

    /** Renews the lease of a running build; undefined when it is not held under this epoch. */
    renew: async (id: number, epoch: number, leaseMs: number): Promise<BuildDoc | undefined> => {
      const renewed = { rev: { $add: ["$rev", 1] }, "lease.until": leaseFor(leaseMs) };
      const held = { _id: id, epoch, status: "running" as const };
      const options = {
        projection: { lease: 1, killRequestedAt: 1, killRequestedBy: 1 },
        returnDocument: "after" as const,
      };
      return (await builds.findOneAndUpdate(held, [{ $set: renewed }], options)) ?? undefined;
    },

    /** Running builds whose lease has ended, with that lease. */
    lost: (): Promise<{ _id: number; lease: HeldLease }[]> =>
      builds
        .find({ "lease.until": { $exists: true }, $expr: { $lt: ["$lease.until", "$$NOW"] } })
        .project<{ _id: number; lease: HeldLease }>({ lease: 1 })
        .limit(100)
        .toArray(),

    /** The builds a runner holds a live lease on. */
    leasedTo: (runnerId: string) =>
      builds
        .find({ "lease.runnerId": runnerId, $expr: { $gte: ["$lease.until", "$$NOW"] } }, { projection: { epoch: 1 } })
        .map((doc) => ({ buildId: doc._id, epoch: doc.epoch }))
        .toArray(),

    /** Ids of builds of a user that can still be killed. */
    unfinishedOf: (userId: number) =>
      builds
        .find({ userId, status: { $in: ["queued", "running"] } }, { projection: { _id: 1 } })
        .map((doc) => doc._id)
        .toArray(),

    /** Ids of up to 100 builds of a namespace. */
    inNamespace: (namespaceId: number) =>
      builds
        .find({ namespaceId }, { projection: { _id: 1 } })
        .limit(100)
        .map((doc) => doc._id)
        .toArray(),

    /** The builds that a delivery of a repository's hook has made, in the order of their manifests. */
    ofDelivery: (deliveryId: string) =>
      builds
        .find(
          { "origin.deliveryId": deliveryId },
          { projection: { userId: 1, number: 1, status: 1, "origin.path": 1 } },
        )
        .sort({ "origin.path": 1 })
        .map(({ _id, userId, number, status, origin }) => ({ id: _id, userId, number, status, path: origin!.path! }))
        .toArray(),

    /** The deliveries that have made some of these builds. */
    async deliveriesOf(ids: readonly number[]): Promise<string[]> {
      const found = builds.find({ _id: { $in: [...ids] } }, { projection: { "origin.deliveryId": 1 } });
      return (await found.toArray()).flatMap(({ origin }) => origin?.deliveryId ?? []);
    },

    /** Takes the pieces before an offset out of the tail, once they are stored elsewhere. */
    trimTail: (id: number, tailFrom: number) =>
      builds.updateOne(
        { _id: id, tailFrom: { $lt: tailFrom } },
        { $pull: { tail: { start: { $lt: tailFrom } } }, $set: { tailFrom } },
      ),

    usesBlob: async (blobId: string) =>
      (await builds.findOne({ "artifacts.blobId": blobId }, { projection: { _id: 1 } })) !== null,

    /** Users who have stored artifacts. */
    storing: () => builds.distinct("userId", { artifactBytes: { $gt: 0 } }),

    /** Finished builds of a user that store artifacts and are not pinned, newest first. */
    storedBy: (userId: number) =>
      builds
        .find(
          { userId, artifactBytes: { $gt: 0 }, pinned: false, status: { $nin: ["queued", "running"] } },
          { projection: { artifacts: 1 } },
        )
        .sort({ createdAt: -1, _id: -1 }),
  };
};

export type BuildStore = ReturnType<typeof buildStore>;
