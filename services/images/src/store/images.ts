import type { OutboxEvent } from "@ci/kit/mongo/document";
import { listPage, reachableFilters } from "@ci/kit/mongo/listing";
import { duplicateKey } from "@ci/kit/mongo/mongo";
import { searchFilter, termsOf } from "@ci/kit/mongo/search";
import type { Collection, Db, Filter } from "mongodb";
import { type Fetch, goneScope, type ImageDoc, namespaceScope, type Progress, userScope } from "../domain/image.js";

/** By the clock of MongoDB, which all replicas share. */
const inMs = (ms: number) => ({ $add: ["$$NOW", ms] });

const live = { deletedAt: { $exists: false } } as const;

/** Which images a list holds: those of one namespace, or all of an owner's and those in these further trees. */
export type Selection =
  | { readonly namespaceId: number }
  | { readonly userId: number; readonly rootIds: readonly number[] };

function selected(of: Selection, search: string): Filter<ImageDoc>[] {
  const like = { ...live, ...searchFilter("name", search) };
  if ("namespaceId" in of) return [{ scope: namespaceScope(of.namespaceId), ...like }];
  return reachableFilters<ImageDoc>({ userId: of.userId, ...like }, of.rootIds, (rootIds) => ({
    rootId: { $in: rootIds },
    ...like,
  }));
}

/** The images; their bytes are elsewhere. Whatever has an event tells `news` so. */
export const imageStore = (db: Db, news: (collection: Collection<never>, id: number) => void) => {
  const images = db.collection<ImageDoc>("images");

  /** Only while it is as it was read. */
  const still = ({ _id, scope, blobId }: ImageDoc) => ({ _id, scope, blobId: blobId ?? { $exists: false } });

  /** Gives an image to its user alone, under a name that is free there. */
  async function releaseOne({ _id, scope, userId, name: first }: ImageDoc): Promise<void> {
    for (let name = first; ; name = `${name}-${_id}`) {
      const change = {
        $set: { scope: userScope(userId), name, terms: termsOf([name]) },
        $unset: { namespaceId: true, rootId: true },
      } as const;
      try {
        await images.updateOne({ _id, scope }, change);
        return;
      } catch (error) {
        if (!duplicateKey(error)) throw error;
      }
    }
  }

  return {
    get: (id: number) => images.findOne({ _id: id, ...live }),
    named: (scope: string, name: string) => images.findOne({ scope, name }),

    /** Of a namespace newest first, else by name. */
    list: (of: Selection, search: string, number: number | undefined) =>
      listPage(
        images,
        selected(of, search),
        "namespaceId" in of ? { createdAt: -1, _id: -1 } : { name: 1, _id: 1 },
        number,
      ),

    /** Stores a new image with its event. False when its name is taken in its scope. */
    async insert(doc: ImageDoc): Promise<boolean> {
      try {
        await images.insertOne({ ...doc, terms: termsOf([doc.name]) });
      } catch (error) {
        if (duplicateKey(error)) return false;
        throw error;
      }
      news(images as never, doc._id);
      return true;
    },

    /**
     * Deletes an image that still is as it was read, and ends its download; false when it is not. Else it answers the
     * content that waits to be continued and at which nobody is: who is at one notices.
     */
    async remove(
      was: ImageDoc,
      at: Date,
      event: OutboxEvent,
    ): Promise<false | { readonly waiting?: string | undefined }> {
      const removed = await images.findOneAndUpdate(
        still(was),
        {
          $set: { deletedAt: at, scope: goneScope(was._id) },
          $unset: { fetch: true },
          $push: { outbox: event },
        },
        { projection: { fetch: 1 } },
      );
      if (!removed) return false;
      news(images as never, was._id);
      return { waiting: removed.fetch?.token ? undefined : removed.fetch?.partial?.blobId };
    },

    /** Gives what is in a namespace to the users it belongs to. Harmless when done again. */
    async release(namespaceId: number): Promise<void> {
      for await (const doc of images.find({ scope: namespaceScope(namespaceId) })) await releaseOne(doc);
    },

    /** Takes the download that has been due for longest; null if none is due. It is due again when the lease ends. */
    claim: (token: string, leaseMs: number) =>
      images.findOneAndUpdate(
        { "fetch.dueAt": { $exists: true }, $expr: { $lte: ["$fetch.dueAt", "$$NOW"] } },
        [
          {
            $set: {
              "fetch.dueAt": inMs(leaseMs),
              "fetch.token": token,
              "download.startedAt": { $ifNull: ["$download.startedAt", "$$NOW"] },
            },
          },
        ],
        { sort: { "fetch.dueAt": 1 }, returnDocument: "after" },
      ),

    /** Says that a download is still under way and how far; false when it is not this attempt's any more. */
    renew: async (id: number, token: string, leaseMs: number, received: number | undefined): Promise<boolean> => {
      const come = received === undefined ? {} : { "download.received": received };
      const change = [{ $set: { "fetch.dueAt": inMs(leaseMs), ...come } }];
      return (await images.updateOne({ _id: id, "fetch.token": token }, change)).matchedCount > 0;
    },

    /**
     * Says that content comes, and which another attempt may continue should it break off; false when the download is not
     * this attempt's any more.
     */
    async comes(id: number, token: string, { received, total }: Progress, partial: Fetch["partial"]): Promise<boolean> {
      const change = {
        $set: {
          "download.received": received,
          ...(total && { "download.total": total }),
          ...(partial && { "fetch.partial": partial }),
        },
        $unset: {
          ...(!total && { "download.total": true as const }),
          ...(!partial && { "fetch.partial": true as const }),
        },
      };
      return (await images.updateOne({ _id: id, "fetch.token": token }, change)).matchedCount > 0;
    },

    /** Ends an attempt and says after which pause the next one is due. */
    async postpone(id: number, token: string, pauseMs: number, failures: number): Promise<void> {
      const change = [
        { $set: { "fetch.dueAt": inMs(pauseMs), "fetch.failures": failures } },
        { $unset: "fetch.token" },
      ];
      await images.updateOne({ _id: id, "fetch.token": token }, change);
    },

    /**
     * Ends a download with what came of it, and with the event that `report` makes of the image as it is then.
     * False when the download is not this attempt's any more.
     */
    async finish(
      id: number,
      token: string,
      came: Partial<ImageDoc>,
      report: (doc: ImageDoc) => OutboxEvent,
    ): Promise<boolean> {
      for (;;) {
        const was = await images.findOne({ _id: id, "fetch.token": token });
        if (!was) return false;
        const { matchedCount } = await images.updateOne(
          { ...still(was), "fetch.token": token },
          { $set: came, $unset: { fetch: true }, $push: { outbox: report({ ...was, ...came }) } },
        );
        // Otherwise it has changed hands meanwhile: look again.
        if (matchedCount === 0) continue;
        news(images as never, id);
        return true;
      }
    },

    /** Whether an image has its bytes there. */
    uses: async (blobId: string): Promise<boolean> =>
      (await images.findOne({ blobId, ...live }, { projection: { _id: 1 } })) !== null,

    /** Whether an image has its bytes there, or some that its download may continue. */
    wants: async (blobId: string): Promise<boolean> => {
      const either = { $or: [{ blobId, ...live }, { "fetch.partial.blobId": blobId }] };
      return (await images.findOne(either, { projection: { _id: 1 } })) !== null;
    },
  };
};

export type ImageStore = ReturnType<typeof imageStore>;
