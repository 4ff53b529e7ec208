import { fromStored, type Stored } from "@ci/kit/mongo/document";
import { page } from "@ci/kit/mongo/mongo";
import { type CountLimit, countQuota, quotaComplaints, withinQuotas } from "@ci/kit/mongo/quota";
import type { Fields } from "@ci/kit/rpc/fault";
import type { Repository, Repository_Forks } from "@ci/proto/builds/v1/repositories";
import type { Collection, Db } from "mongodb";

export type RepositoryDoc = Stored<Repository> & {
  readonly sealedSecret: string;
  readonly sealedToken?: string;
  /** Until this time, by the clock of MongoDB, a process holds the registration of the pending hook. */
  readonly hookHeldUntil?: Date;
};

/** The state of the hook's registration at the provider. */
export type HookState = Pick<RepositoryDoc, "hook" | "hookReason">;

/** What a user can change. A field that is set to undefined is removed. */
export type RepositoryChange = Partial<
  Pick<
    RepositoryDoc,
    | "userId"
    | "sealedSecret"
    | "sealedToken"
    | "hasAccessToken"
    | "forks"
    | "cancelSuperseded"
    | "hook"
    | "hookHeldUntil"
  >
>;

export const forksOf = ({ forks = "approve" }: Pick<RepositoryDoc, "forks">): Repository_Forks => forks;

/** Returns the record of a repository, with defaults for fields that older ones lack. */
export function toRepository(doc: RepositoryDoc): Repository {
  const { sealedSecret: _s, sealedToken: _t, hookHeldUntil: _h, ...stored } = doc;
  const { forks = "approve", cancelSuperseded = false, hook = "by_hand" } = stored;
  return { ...fromStored<Repository>(stored), forks, cancelSuperseded, hook };
}

// A missing time compares as earlier than any other.
const isFree = { $expr: { $lte: ["$hookHeldUntil", "$$NOW"] } };

const ownership = (repositories: Collection<RepositoryDoc>) => {
  const idsOf = (filter: { namespaceId: number } | { userId: number }) =>
    repositories
      .find(filter, { projection: { _id: 1 } })
      .limit(100)
      .map(({ _id }) => _id)
      .toArray();

  return {
    idsInNamespace: (namespaceId: number) => idsOf({ namespaceId }),
    idsOfUser: (userId: number) => idsOf({ userId }),

    async idsOfUsers(userIds: readonly number[]): Promise<number[]> {
      if (userIds.length === 0) return [];
      const found = repositories.find({ userId: { $in: [...userIds] } }, { projection: { _id: 1 } });
      return found.map(({ _id }) => _id).toArray();
    },

    /** Returns the users of these repositories, by repository. */
    async ownersOf(ids: readonly number[]): Promise<Map<number, number>> {
      const found = repositories.find({ _id: { $in: [...ids] } }, { projection: { userId: 1 } });
      return new Map(await found.map(({ _id, userId }): [number, number] => [_id, userId]).toArray());
    },
  };
};

export const repositoryStore = (db: Db, perUser: CountLimit) => {
  const repositories = db.collection<RepositoryDoc>("repositories");
  const quotas = (userId: number) => [countQuota(repositories, { userId }, perUser)];
  return {
    quotaComplaints: (userId: number): Promise<Fields> => quotaComplaints(quotas(userId)),

    /** Stores a new repository. Fault `invalid` if its user has too many. */
    async insert(doc: RepositoryDoc): Promise<void> {
      await withinQuotas(db, quotas(doc.userId), doc._id, () => repositories.insertOne(doc));
    },

    byId: (id: number) => repositories.findOne({ _id: id }),

    list: (namespaceId: number, number: number | undefined) =>
      page(repositories.find({ namespaceId }).sort({ _id: 1 }), number, () =>
        repositories.countDocuments({ namespaceId }),
      ),

    /** Changes a repository in one write; returns null if it does not exist. */
    change(namespaceId: number, id: number, change: RepositoryChange): Promise<RepositoryDoc | null> {
      const entries = Object.entries(change);
      const values = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
      const removed = Object.fromEntries(entries.flatMap(([key, value]) => (value === undefined ? [[key, true]] : [])));
      if (entries.length === 0) return repositories.findOne({ _id: id, namespaceId });
      const update = {
        ...(Object.keys(values).length > 0 ? { $set: values } : {}),
        ...(Object.keys(removed).length > 0 ? { $unset: removed as never } : {}),
      };
      return repositories.findOneAndUpdate({ _id: id, namespaceId }, update, { returnDocument: "after" });
    },

    /** Returns the ids of repositories whose hook is to be registered. */
    pendingHooks: () =>
      repositories
        .find({ hook: "pending", ...isFree }, { projection: { _id: 1 } })
        .limit(100)
        .map(({ _id }) => _id)
        .toArray(),

    /** Claims the registration of a pending hook. If its holder crashes, another process can claim it. */
    claimHook: (id: number, leaseMs: number): Promise<RepositoryDoc | null> =>
      repositories.findOneAndUpdate(
        { _id: id, hook: "pending", ...isFree },
        [{ $set: { hookHeldUntil: { $add: ["$$NOW", leaseMs] } } }],
        { returnDocument: "after" },
      ),

    /** Stores the outcome of a registration, unless it was claimed or requested again meanwhile. */
    async settleHook({ _id, hookHeldUntil }: RepositoryDoc, { hook, hookReason }: HookState): Promise<void> {
      await repositories.updateOne(
        { _id, hook: "pending", hookHeldUntil },
        {
          $set: { hook, ...(hookReason === undefined ? {} : { hookReason }) },
          $unset: { hookHeldUntil: true, ...(hookReason === undefined ? { hookReason: true } : {}) },
        },
      );
    },

    ...ownership(repositories),

    /** Returns false if the repository did not exist. */
    remove: async (id: number): Promise<boolean> => (await repositories.deleteOne({ _id: id })).deletedCount === 1,
  };
};

export type RepositoryStore = ReturnType<typeof repositoryStore>;
