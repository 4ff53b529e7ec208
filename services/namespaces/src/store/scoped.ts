import { expireInputs } from "@ci/access/build-inputs";
import { deletedScope, namespaceScope, type Scoped, userScope } from "@ci/access/record-scope";
import { type OutboxEvent, requireOutboxRoom } from "@ci/kit/mongo/document";
import { insertedUnlessTaken, onlyRefusedBy } from "@ci/kit/mongo/duplicates";
import { listPage, reachableFilters } from "@ci/kit/mongo/listing";
import type { Nudge } from "@ci/kit/mongo/outbox";
import { type Quota, quotaComplaints, withinQuotas } from "@ci/kit/mongo/quota";
import { searchFilter, termsOf } from "@ci/kit/mongo/search";
import type { Fields } from "@ci/kit/rpc/fault";
import type {
  AnyBulkWriteOperation,
  Collection,
  Db,
  Document,
  Filter,
  MongoBulkWriteError,
  UpdateFilter,
} from "mongodb";

const live = { deletedAt: { $exists: false } } as const;

/** The records of a list: those of one scope, or a user's own and those below these roots. */
export type Selection = { readonly scope: string } | { readonly userId: number; readonly rootIds: readonly number[] };

/** Where a record belongs. Without a scope, its namespace does not exist yet. */
export interface Place {
  readonly userId: number;
  readonly scope?: string | undefined;
  /** How many bytes a new record takes, if it has content. */
  readonly size?: number;
}

/** What a store holds. `field` is the name of its records, unique within a scope. */
interface Stored<D extends Scoped> {
  readonly db: Db;
  readonly collection: Collection<D>;
  readonly field: keyof D & string;
  /** Separates a name from the id that makes it unique. */
  readonly suffix: string;
  /** The quotas that a new record has to keep. */
  quotas(place: Place): readonly Quota[];
}

/** Matches a record whose owner has not changed since it was read. */
const unchanged = ({ _id, scope }: Scoped) => ({ _id, scope });

const queries = <D extends Scoped>({ collection, field }: Stored<D>) => {
  const filter = (query: object) => query as Filter<D>;

  function filtersOf(selection: Selection, search: string): Filter<D>[] {
    const matching = { ...live, ...searchFilter(field, search) };
    if ("scope" in selection) return [filter({ scope: selection.scope, ...matching })];
    const own = filter({ userId: selection.userId, ...matching });
    return reachableFilters(own, selection.rootIds, (rootIds) => filter({ rootId: { $in: rootIds }, ...matching }));
  }

  return {
    get: (id: number): Promise<D | null> => collection.findOne(filter({ _id: id, ...live })) as Promise<D | null>,

    async remaining(ids: readonly number[]): Promise<number[]> {
      if (ids.length === 0) return [];
      const found = collection.find(filter({ _id: { $in: [...ids] }, ...live }), { projection: { _id: 1 } });
      return (await found.toArray()).map(({ _id }) => _id as number);
    },

    async has(scope: string, name: string): Promise<boolean> {
      return (await collection.findOne(filter({ scope, [field]: name }), { projection: { _id: 1 } })) !== null;
    },

    /** Returns the records of these scopes, in no order. */
    each: (scopes: readonly string[]): AsyncIterable<D> =>
      collection.find(filter({ scope: { $in: [...scopes] } })) as unknown as AsyncIterable<D>,

    /** Does the same without the secrets and configurations of records that are larger than this. */
    eachSmall(scopes: readonly string[], maxBytes: number): AsyncIterable<Partial<D> & Scoped> {
      const ifSmall = (value: string) => ({
        $cond: [{ $lte: [{ $bsonSize: "$$ROOT" }, maxBytes] }, value, "$$REMOVE"],
      });
      const small = { sealed: ifSmall("$sealed"), config: ifSmall("$config") };
      const projection = { scope: 1, [field]: 1, masked: 1, ...small };
      return collection.find<Partial<D> & Scoped>(filter({ scope: { $in: [...scopes] } }), { projection });
    },

    /** Returns the records with these names in these scopes. */
    named: (scopes: readonly string[], names: readonly string[]): Promise<D[]> =>
      collection.find(filter({ scope: { $in: [...scopes] }, [field]: { $in: [...names] } })).toArray() as Promise<D[]>,

    list(selection: Selection, search: string, number: number | undefined) {
      const order = "scope" in selection ? { [field]: 1 as const } : { [field]: 1 as const, _id: 1 as const };
      return listPage(collection as unknown as Collection<D & Document>, filtersOf(selection, search), order, number);
    },
  };
};

const changes = <D extends Scoped>({ db, collection, field, quotas }: Stored<D>, nudge: Nudge) => {
  /** Announces a record that was written, once no new build gets its earlier content. */
  async function written<T extends Scoped | null>(doc: T): Promise<T> {
    if (!doc) return doc;
    await expireInputs();
    nudge(collection as never, doc._id);
    return doc;
  }

  return {
    /** Returns the complaint if a place has no room for a new record. */
    quotaComplaints: (place: Place): Promise<Fields> => quotaComplaints(quotas(place)),

    /** Stores a new record with its event; false if its name is taken in its scope. Fault `invalid` beyond a quota. */
    async insert(doc: D): Promise<boolean> {
      const insert = () => collection.insertOne({ ...doc, terms: termsOf([doc[field] as string]) } as never);
      const isInserted = await insertedUnlessTaken(withinQuotas(db, quotas(doc), doc._id, insert));
      if (isInserted) await written(doc);
      return isInserted;
    },

    /** Updates a record; null if its owner, or one of the fields `asRead`, has changed since it was read. */
    async change(read: D, set: Partial<D>, event: OutboxEvent, asRead: readonly (keyof D)[] = []): Promise<D | null> {
      requireOutboxRoom(read);
      const change = { $set: set, $push: { outbox: event } } as unknown as UpdateFilter<D>;
      const fields = Object.fromEntries(asRead.map((field) => [field, read[field]]));
      const filter = { ...unchanged(read), ...fields } as Filter<D>;
      return written((await collection.findOneAndUpdate(filter, change, { returnDocument: "after" })) as D | null);
    },

    /** Deletes a record; false if its owner has changed since it was read. */
    async remove(read: D, at: Date, event: OutboxEvent): Promise<boolean> {
      const change = { $set: { deletedAt: at, scope: deletedScope(read._id) }, $push: { outbox: event } };
      const filter = unchanged(read) as Filter<D>;
      return (await written((await collection.findOneAndUpdate(filter, change as never)) as D | null)) !== null;
    },
  };
};

const releasedAtOnce = 1_000;

/** Moves records out of deleted namespaces. */
const releases = <D extends Scoped>({ collection, field, suffix }: Stored<D>) => {
  const movesTo = (name: string, doc: D): AnyBulkWriteOperation<D> => {
    const $set = { scope: userScope(doc.userId), [field]: name, terms: termsOf([name]) };
    const update = { $set, $unset: { namespaceId: "", rootId: "" } } as unknown as UpdateFilter<D>;
    return { updateOne: { filter: unchanged(doc) as Filter<D>, update } };
  };

  /** Moves records to their users with one write. Returns those whose names are taken there. */
  async function tryRelease(named: Map<D, string>): Promise<D[]> {
    const docs = [...named.keys()];
    try {
      await collection.bulkWrite(
        docs.map((doc) => movesTo(named.get(doc)!, doc)),
        { ordered: false },
      );
      return [];
    } catch (error) {
      if (!onlyRefusedBy(`scope_1_${field}_1`, error)) throw error;
      return [(error as MongoBulkWriteError).writeErrors].flat().map(({ index }) => docs[index]!);
    }
  }

  async function releaseAll(docs: readonly D[]): Promise<void> {
    let named = new Map(docs.map((doc) => [doc, doc[field] as string]));
    while (named.size > 0) {
      const taken = await tryRelease(named);
      named = new Map(taken.map((doc) => [doc, `${named.get(doc)}${suffix}${doc._id}`]));
    }
  }

  return {
    async release(doc: D): Promise<void> {
      await releaseAll([doc]);
      await expireInputs();
    },

    /** Releases the records of these namespaces. Stops after about `most` of them. */
    async releaseFrom(namespaceIds: readonly number[], most: number): Promise<void> {
      const filter = { scope: { $in: namespaceIds.map(namespaceScope) } } as unknown as Filter<D>;
      const projection = { scope: 1, userId: 1, [field]: 1 };
      for (let released = 0; released < most; released += releasedAtOnce) {
        const docs = await collection.find(filter, { projection }).limit(releasedAtOnce).toArray();
        await releaseAll(docs as D[]);
        if (docs.length < releasedAtOnce) break;
      }
    },
  };
};

/** A store of objects, variables or keys. */
export const scopedStore = <D extends Scoped>(stored: Stored<D>, nudge: Nudge) => ({
  ...queries(stored),
  ...changes(stored, nudge),
  ...releases(stored),
});

export type ScopedStore<D extends Scoped> = ReturnType<typeof scopedStore<D>>;
