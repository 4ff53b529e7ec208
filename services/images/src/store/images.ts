import { deletedScope, namespaceScope, userScope } from "@ci/access/record-scope";
import type { OutboxEvent } from "@ci/kit/mongo/document";
import { duplicateKey, insertedUnlessTaken } from "@ci/kit/mongo/duplicates";
import { listPage, reachableFilters } from "@ci/kit/mongo/listing";
import type { Nudge } from "@ci/kit/mongo/outbox";
import { withinQuotas } from "@ci/kit/mongo/quota";
import { searchFilter, termsOf } from "@ci/kit/mongo/search";
import type { Collection, Db, Filter } from "mongodb";
import type { ImageDoc } from "../domain/image.js";
import { downloadQueue } from "./downloads.js";
import { type ImageLimits, imageQuotas } from "./image-quotas.js";
import { unchanged } from "./unchanged.js";

const live = { deletedAt: { $exists: false } } as const;

export type Selection =
  | { readonly namespaceId: number }
  | { readonly userId: number; readonly rootIds: readonly number[] };

function filtersOf(selection: Selection, search: string): Filter<ImageDoc>[] {
  const matching = { ...live, ...searchFilter("name", search) };
  if ("namespaceId" in selection) return [{ scope: namespaceScope(selection.namespaceId), ...matching }];
  const own = { userId: selection.userId, ...matching };
  return reachableFilters<ImageDoc>(own, selection.rootIds, (rootIds) => ({ rootId: { $in: rootIds }, ...matching }));
}

const exists = async (images: Collection<ImageDoc>, filter: Filter<ImageDoc>): Promise<boolean> =>
  (await images.findOne(filter, { projection: { _id: 1 } })) !== null;

const queries = (images: Collection<ImageDoc>) => ({
  get: (id: number) => images.findOne({ _id: id, ...live }),
  named: (scope: string, name: string) => images.findOne({ scope, name }),

  /** Returns the image with this name in the first of these scopes that has one. */
  async firstNamed(scopes: readonly string[], name: string): Promise<ImageDoc | undefined> {
    const found = await images.find({ scope: { $in: [...scopes] }, name }).toArray();
    return found.toSorted((a, b) => scopes.indexOf(a.scope) - scopes.indexOf(b.scope))[0];
  },

  list: (selection: Selection, search: string, number: number | undefined) =>
    listPage(
      images,
      filtersOf(selection, search),
      "namespaceId" in selection ? { createdAt: -1, _id: -1 } : { name: 1, _id: 1 },
      number,
    ),

  uses: (blobId: string) => exists(images, { blobId, ...live }),

  /** Reports whether this is the content of an image, or a part that its download may resume. */
  needs: (blobId: string) => exists(images, { $or: [{ blobId, ...live }, { "fetch.partial.blobId": blobId }] }),
});

type Quotas = ReturnType<typeof imageQuotas>;

const changes = (db: Db, images: Collection<ImageDoc>, nudge: Nudge, quotas: Quotas) => ({
  /** Stores a new image; false if its name is taken in its scope. Fault `invalid` beyond a quota. */
  async insert(doc: ImageDoc): Promise<boolean> {
    const insert = () => images.insertOne({ ...doc, terms: termsOf([doc.name]) });
    const isInserted = await insertedUnlessTaken(withinQuotas(db, quotas.all(doc), doc._id, insert));
    if (isInserted) nudge(images as never, doc._id);
    return isInserted;
  },

  // Return only the partial content of a waiting download. A running attempt deletes its own content.
  async remove(
    read: ImageDoc,
    at: Date,
    event: OutboxEvent,
  ): Promise<false | { readonly partialBlobId?: string | undefined }> {
    const removed = await images.findOneAndUpdate(
      unchanged(read),
      {
        $set: { deletedAt: at, scope: deletedScope(read._id) },
        $unset: { fetch: true },
        $push: { outbox: event },
      },
      { projection: { fetch: 1 } },
    );
    if (!removed) return false;
    nudge(images as never, read._id);
    return { partialBlobId: removed.fetch?.token ? undefined : removed.fetch?.partial?.blobId };
  },
});

const maxReleased = 100;

/** Moves an image out of its namespace to its user, under a name that is free there. */
async function releaseOne(images: Collection<ImageDoc>, { _id, scope, userId, name: first }: ImageDoc): Promise<void> {
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

export const imageStore = (db: Db, nudge: Nudge, limits: ImageLimits) => {
  const images = db.collection<ImageDoc>("images");
  const quotas = imageQuotas(db, images, limits);
  const downloads = downloadQueue(images, nudge);
  return {
    ...queries(images),
    ...changes(db, images, nudge, quotas),
    ...downloads,
    quotaComplaints: quotas.complaints,
    withinRoom: quotas.withinRoom,

    /** Ends a download as `finish` does, with content. Fault `invalid` if the content exceeds the user's quota. */
    finishWithin: (doc: ImageDoc, size: number, finish: () => Promise<boolean>): Promise<boolean> =>
      withinQuotas(db, [quotas.storage(doc, size)], doc._id, finish),

    /** Moves an image of a deleted namespace to its user. */
    releaseOne: (doc: ImageDoc): Promise<void> => releaseOne(images, doc),

    /** Moves a batch of a namespace's images. Returns "more" if others may be left. */
    async release(namespaceId: number): Promise<"more" | "done"> {
      const batch = await images
        .find({ scope: namespaceScope(namespaceId) })
        .limit(maxReleased)
        .toArray();
      for (const doc of batch) await releaseOne(images, doc);
      return batch.length < maxReleased ? "done" : "more";
    },
  };
};

export type ImageStore = ReturnType<typeof imageStore>;
