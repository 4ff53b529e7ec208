import { type OutboxEvent, requireOutboxRoom } from "@ci/kit/mongo/document";
import { insertedUnlessTaken } from "@ci/kit/mongo/duplicates";
import { listPage, reachableFilters } from "@ci/kit/mongo/listing";
import type { Nudge } from "@ci/kit/mongo/outbox";
import { countQuota, type Quota, quotaComplaints, withinQuotas } from "@ci/kit/mongo/quota";
import { searchFilter, termsOf } from "@ci/kit/mongo/search";
import type { Fields } from "@ci/kit/rpc/fault";
import type { Collection, Db, Filter } from "mongodb";
import type { Quotas } from "../config.js";
import type { NamespaceDoc, Placed } from "../domain/namespace.js";
import { lineOfPaths, maxDepth } from "../domain/path.js";

const live = { endedAt: { $exists: false } } as const;
const ended = { endedAt: { $exists: true } } as const;

/** The namespaces of a list: the children of one, or a user's own trees and those of these roots. */
export type Selection =
  | { readonly parentId: number }
  | { readonly userId: number; readonly rootIds: readonly number[] };

const filtersOf = (selection: Selection, search: string): Filter<NamespaceDoc>[] => {
  const matching = { ...live, ...searchFilter("path", search) };
  if ("parentId" in selection) return [{ parentId: selection.parentId, ...matching }];
  const own = { userId: selection.userId, ...matching };
  return reachableFilters<NamespaceDoc>(own, selection.rootIds, (rootIds) => ({
    rootId: { $in: rootIds },
    ...matching,
  }));
};

/** Finds namespaces. No query returns a deleted namespace, or one below a deleted namespace. */
const queries = (namespaces: Collection<NamespaceDoc>) => {
  const find = (ids: readonly number[]) => namespaces.find({ _id: { $in: [...ids] }, ...live }).toArray();

  /** Adds the roots, with one query for all, and drops namespaces with a deleted ancestor. */
  async function place(docs: readonly NamespaceDoc[]): Promise<Placed[]> {
    const found = new Map(docs.map((doc) => [doc._id, doc]));
    const missing = new Set(docs.flatMap(({ line }) => line).filter((id) => !found.has(id)));
    if (missing.size > 0) for (const doc of await find([...missing])) found.set(doc._id, doc);
    return docs
      .filter(({ line }) => line.every((id) => found.has(id)))
      .map((doc) => ({ doc, root: found.get(doc.rootId)! }));
  }

  return {
    async byIds(ids: readonly number[]): Promise<Placed[]> {
      return ids.length === 0 ? [] : place(await find([...new Set(ids)]));
    },

    /** Returns the namespaces along a path in a user's trees, from the root down to the last that exists. */
    async along(userId: number, elements: readonly string[]): Promise<Placed[]> {
      const paths = lineOfPaths(elements.slice(0, maxDepth));
      const docs = await namespaces.find({ userId, path: { $in: paths }, ...live }).toArray();
      const found: Placed[] = [];
      for (const name of elements) {
        const parent = found.at(-1)?.doc;
        const doc = docs.find((doc) => doc.name === name && doc.parentId === parent?._id);
        if (!doc) break;
        found.push({ doc, root: found[0]?.root ?? doc });
      }
      return found;
    },

    async list(selection: Selection, search: string, number: number | undefined) {
      const { items, page } = await listPage(namespaces, filtersOf(selection, search), { path: 1, _id: 1 }, number);
      return { items: await place(items), page };
    },

    named: (userId: number, parentId: number | undefined, name: string): Promise<NamespaceDoc | null> =>
      namespaces.findOne({ userId, parentId: parentId ?? { $exists: false }, name, ...live }),
  };
};

const changes = (db: Db, namespaces: Collection<NamespaceDoc>, nudge: Nudge, limits: Quotas) => {
  const quotas = (userId: number, count: number): Quota[] => [
    countQuota(namespaces, { userId, ...live }, limits.namespaces, count),
  ];
  const nudged = <T extends NamespaceDoc | null>(doc: T): T => {
    if (doc) nudge(namespaces as never, doc._id);
    return doc;
  };

  return {
    /** Returns the complaint if a user has no room for this many namespaces. */
    quotaComplaints: (userId: number, count: number): Promise<Fields> => quotaComplaints(quotas(userId, count)),

    async insert(doc: NamespaceDoc): Promise<boolean> {
      const insert = () => namespaces.insertOne({ ...doc, terms: termsOf([doc.path]) });
      const isInserted = await insertedUnlessTaken(withinQuotas(db, quotas(doc.userId, 1), doc._id, insert));
      if (isInserted) nudged(doc);
      return isInserted;
    },

    /** Updates the namespace; null if it has changed since it was read. */
    async update(
      read: NamespaceDoc,
      set: { description: string; visibility?: string },
      event: OutboxEvent,
    ): Promise<NamespaceDoc | null> {
      requireOutboxRoom(read);
      const { _id, description } = read;
      const visibility = read.visibility ?? { $exists: false };
      const change = { $set: set, $push: { outbox: event } };
      return nudged(await namespaces.findOneAndUpdate({ _id, description, visibility, ...live }, change));
    },

    /** Deletes a namespace, which hides all below it. Keeps its visibility. Returns null if it was already deleted. */
    async end(
      { _id }: NamespaceDoc,
      { at, actorId }: { at: Date; actorId?: number | undefined },
      visibility: string | undefined,
      events: OutboxEvent[],
    ): Promise<NamespaceDoc | null> {
      const set = { endedAt: at, endedBy: actorId, clearAt: at, visibility };
      const change = { $set: set, $push: { outbox: { $each: events } } };
      return nudged(await namespaces.findOneAndUpdate({ _id, ...live }, change, { returnDocument: "after" }));
    },
  };
};

const deletions = (namespaces: Collection<NamespaceDoc>) => ({
  /** Returns up to 100 namespaces below a deleted one that are not deleted themselves. */
  below: (id: number): Promise<NamespaceDoc[]> =>
    namespaces
      .find({ line: id, ...live })
      .limit(100)
      .toArray(),

  /** Returns up to 100 deleted namespaces that are due to be cleared. */
  toClear: (at: Date): Promise<NamespaceDoc[]> =>
    namespaces
      .find({ clearAt: { $lte: at } })
      .limit(100)
      .toArray(),

  async clearAgain(id: number, at: Date): Promise<void> {
    await namespaces.updateOne({ _id: id, ...ended }, { $set: { clearAt: at } });
  },

  /** Removes a deleted namespace from the database; false if it still has events to publish. */
  async purge(id: number): Promise<boolean> {
    const { deletedCount } = await namespaces.deleteOne({ _id: id, ...ended, outbox: { $size: 0 } });
    return deletedCount > 0;
  },
});

export const namespaceStore = (db: Db, nudge: Nudge, limits: Quotas) => {
  const namespaces = db.collection<NamespaceDoc>("namespaces");
  return { ...queries(namespaces), ...changes(db, namespaces, nudge, limits), ...deletions(namespaces) };
};

export type NamespaceStore = ReturnType<typeof namespaceStore>;
