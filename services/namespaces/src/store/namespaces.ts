import type { OutboxEvent } from "@ci/kit/mongo/document";
import { listPage, reachableFilters } from "@ci/kit/mongo/listing";
import { duplicateKey } from "@ci/kit/mongo/mongo";
import { searchFilter, termsOf } from "@ci/kit/mongo/search";
import type { Collection, Db, Filter } from "mongodb";
import type { NamespaceDoc, Placed } from "../domain/namespace.js";
import { lineOfPaths } from "../domain/path.js";

const live = { endedAt: { $exists: false } } as const;

/** Which namespaces a list holds: the children of one, or all trees of an owner and these further ones. */
export type Selection =
  | { readonly parentId: number }
  | { readonly userId: number; readonly rootIds: readonly number[] };

const selected = (of: Selection, search: string): Filter<NamespaceDoc>[] => {
  const like = { ...live, ...searchFilter("path", search) };
  if ("parentId" in of) return [{ parentId: of.parentId, ...like }];
  return reachableFilters<NamespaceDoc>({ userId: of.userId, ...like }, of.rootIds, (rootIds) => ({
    rootId: { $in: rootIds },
    ...like,
  }));
};

/** The namespaces. What is deleted, or below something deleted, is not found. */
export const namespaceStore = (db: Db, news: (collection: Collection<never>, id: number) => void) => {
  const namespaces = db.collection<NamespaceDoc>("namespaces");
  const find = (ids: readonly number[]) => namespaces.find({ _id: { $in: [...ids] }, ...live }).toArray();
  const told = <T extends NamespaceDoc | null>(doc: T): T => {
    if (doc) news(namespaces as never, doc._id);
    return doc;
  };

  /** Finds the roots of documents, with one query for all, and drops those that have lost somebody above them. */
  async function place(docs: readonly NamespaceDoc[]): Promise<Placed[]> {
    const known = new Map(docs.map((doc) => [doc._id, doc]));
    const missing = new Set(docs.flatMap(({ line }) => line).filter((id) => !known.has(id)));
    if (missing.size > 0) for (const doc of await find([...missing])) known.set(doc._id, doc);
    return docs
      .filter(({ line }) => line.every((id) => known.has(id)))
      .map((doc) => ({ doc, root: known.get(doc.rootId)! }));
  }

  return {
    async byIds(ids: readonly number[]): Promise<Placed[]> {
      return ids.length === 0 ? [] : place(await find([...new Set(ids)]));
    },

    /** As much of a path as exists in a user's trees, from the root on. */
    async along(userId: number, elements: readonly string[]): Promise<Placed[]> {
      const docs = await namespaces.find({ userId, path: { $in: lineOfPaths(elements) }, ...live }).toArray();
      const found: Placed[] = [];
      for (const name of elements) {
        const above = found.at(-1)?.doc;
        const doc = docs.find((doc) => doc.name === name && doc.parentId === above?._id);
        if (!doc) break;
        found.push({ doc, root: found[0]?.root ?? doc });
      }
      return found;
    },

    async list(of: Selection, search: string, number: number | undefined) {
      const { items, page } = await listPage(namespaces, selected(of, search), { path: 1, _id: 1 }, number);
      return { items: await place(items), page };
    },

    /** The child of this name, or the root. */
    named: (userId: number, parentId: number | undefined, name: string): Promise<NamespaceDoc | null> =>
      namespaces.findOne({ userId, parentId: parentId ?? { $exists: false }, name, ...live }),

    /** Stores a new namespace with its events. False when a sibling has its name. */
    async insert(doc: NamespaceDoc): Promise<boolean> {
      try {
        await namespaces.insertOne({ ...doc, terms: termsOf([doc.path]) });
      } catch (error) {
        if (duplicateKey(error)) return false;
        throw error;
      }
      told(doc);
      return true;
    },

    /** Changes a namespace that still is as it was read; null when it is not. */
    async update(
      was: NamespaceDoc,
      set: { description: string; visibility?: string },
      event: OutboxEvent,
    ): Promise<NamespaceDoc | null> {
      const { _id, description } = was;
      const visibility = was.visibility ?? { $exists: false };
      const change = { $set: set, $push: { outbox: event } };
      return told(await namespaces.findOneAndUpdate({ _id, description, visibility, ...live }, change));
    },

    /** Deletes one namespace, and thereby all below it, keeping how it was last seen; null if that was done before. */
    async end(
      { _id }: NamespaceDoc,
      { at, actorId }: { at: Date; actorId?: number },
      visibility: string | undefined,
      events: OutboxEvent[],
    ): Promise<NamespaceDoc | null> {
      const set = { endedAt: at, endedBy: actorId, clearAt: at, visibility };
      const change = { $set: set, $push: { outbox: { $each: events } } };
      return told(await namespaces.findOneAndUpdate({ _id, ...live }, change, { returnDocument: "after" }));
    },

    /** Up to 100 that still stand below a deleted one. */
    below: (id: number): Promise<NamespaceDoc[]> =>
      namespaces
        .find({ line: id, ...live })
        .limit(100)
        .toArray(),

    /** Deleted namespaces whose deletion entails something now. */
    toClear: (at: Date): Promise<NamespaceDoc[]> =>
      namespaces
        .find({ clearAt: { $lte: at } })
        .limit(100)
        .toArray(),

    /** Says when to look again at what a deletion entails. */
    async clearAgain(id: number, at: Date): Promise<void> {
      await namespaces.updateOne({ _id: id, endedAt: { $exists: true } }, { $set: { clearAt: at } });
    },

    /** Removes a deleted namespace whose events are published; false while some wait. */
    async forget(id: number): Promise<boolean> {
      const { deletedCount } = await namespaces.deleteOne({
        _id: id,
        endedAt: { $exists: true },
        outbox: { $size: 0 },
      });
      return deletedCount > 0;
    },
  };
};

export type NamespaceStore = ReturnType<typeof namespaceStore>;
