import type { OutboxEvent } from "@ci/kit/mongo/document";
import { listPage, reachableFilters } from "@ci/kit/mongo/listing";
import { duplicateKey } from "@ci/kit/mongo/mongo";
import { searchFilter, termsOf } from "@ci/kit/mongo/search";
import type { Collection, Document, Filter, UpdateFilter } from "mongodb";
import { goneScope, namespaceScope, type Scoped, userScope } from "../domain/scope.js";

const live = { deletedAt: { $exists: false } } as const;

/** Which records a list holds: those of one scope, or all of an owner's and those in these further trees. */
export type Selection = { readonly scope: string } | { readonly userId: number; readonly rootIds: readonly number[] };

/**
 * What the collections of objects, variables and keys have in common. `field` is what their records are called by,
 * unique within a scope; `suffix` sets an id apart from a name that it makes unique.
 */
export const scopedStore = <D extends Scoped>(
  collection: Collection<D>,
  field: keyof D & string,
  suffix: string,
  news: (collection: Collection<never>, id: number) => void,
) => {
  const filter = (of: object) => of as Filter<D>;
  const told = <T extends Scoped | null>(doc: T): T => {
    if (doc) news(collection as never, doc._id);
    return doc;
  };

  function selected(of: Selection, search: string): Filter<D>[] {
    const like = { ...live, ...searchFilter(field, search) };
    if ("scope" in of) return [filter({ scope: of.scope, ...like })];
    const own = filter({ userId: of.userId, ...like });
    return reachableFilters(own, of.rootIds, (rootIds) => filter({ rootId: { $in: rootIds }, ...like }));
  }

  /** Gives a record to its user alone, under a name that is free there. */
  async function releaseOne(doc: D): Promise<void> {
    const scope = userScope(doc.userId);
    for (let name = doc[field] as string; ; name = `${name}${suffix}${doc._id}`) {
      const change = {
        $set: { scope, [field]: name, terms: termsOf([name]) },
        $unset: { namespaceId: "", rootId: "" },
      };
      try {
        await collection.updateOne(filter({ _id: doc._id, scope: doc.scope }), change as unknown as UpdateFilter<D>);
        return;
      } catch (error) {
        if (!duplicateKey(error)) throw error;
      }
    }
  }

  return {
    get: (id: number): Promise<D | null> => collection.findOne(filter({ _id: id, ...live })) as Promise<D | null>,

    /** Those of these ids that are not deleted. */
    async remaining(ids: readonly number[]): Promise<number[]> {
      if (ids.length === 0) return [];
      const found = collection.find(filter({ _id: { $in: [...ids] }, ...live }), { projection: { _id: 1 } });
      return (await found.toArray()).map(({ _id }) => _id as number);
    },

    /** Whether a name is taken in a scope. */
    async has(scope: string, name: string): Promise<boolean> {
      return (await collection.findOne(filter({ scope, [field]: name }), { projection: { _id: 1 } })) !== null;
    },

    /** Those of a scope, one after another. */
    each: (scope: string): AsyncIterable<D> => collection.find(filter({ scope })) as unknown as AsyncIterable<D>,

    /** Those of several scopes that have one of these names. */
    named: (scopes: readonly string[], names: readonly string[]): Promise<D[]> =>
      collection.find(filter({ scope: { $in: [...scopes] }, [field]: { $in: [...names] } })).toArray() as Promise<D[]>,

    list(of: Selection, search: string, number: number | undefined) {
      // Within one scope no two have the same name.
      const order = "scope" in of ? { [field]: 1 as const } : { [field]: 1 as const, _id: 1 as const };
      return listPage(collection as unknown as Collection<D & Document>, selected(of, search), order, number);
    },

    /** Stores a new record with its event. False when its name is taken in its scope. */
    async insert(doc: D): Promise<boolean> {
      try {
        await collection.insertOne({ ...doc, terms: termsOf([doc[field] as string]) } as never);
      } catch (error) {
        if (duplicateKey(error)) return false;
        throw error;
      }
      told(doc);
      return true;
    },

    /** Changes a record that still is where it was read; null when it is not. */
    async change(was: D, set: Partial<D>, event: OutboxEvent): Promise<D | null> {
      const change = { $set: set, $push: { outbox: event } } as unknown as UpdateFilter<D>;
      const still = filter({ _id: was._id, scope: was.scope });
      return told((await collection.findOneAndUpdate(still, change, { returnDocument: "after" })) as D | null);
    },

    /** Deletes a record that still is where it was read; false when it is not. */
    async remove(was: D, at: Date, event: OutboxEvent): Promise<boolean> {
      const change = { $set: { deletedAt: at, scope: goneScope(was._id) }, $push: { outbox: event } };
      const still = filter({ _id: was._id, scope: was.scope });
      return told((await collection.findOneAndUpdate(still, change as never)) as D | null) !== null;
    },

    /** Gives what is in these namespaces to the users it belongs to. Harmless when done again. */
    async release(namespaceIds: readonly number[]): Promise<void> {
      const scopes = namespaceIds.map(namespaceScope);
      for await (const doc of collection.find(filter({ scope: { $in: scopes } }))) await releaseOne(doc as D);
    },
  };
};

export type ScopedStore<D extends Scoped> = ReturnType<typeof scopedStore<D>>;
