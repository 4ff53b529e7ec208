import { fromStored, type Stored } from "@ci/kit/mongo/document";
import { literals, undefinedIn } from "@ci/kit/mongo/expressions";
import { page } from "@ci/kit/mongo/page";
import { type CountLimit, countQuota, quotaComplaints, withinQuotas } from "@ci/kit/mongo/quota";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Fields } from "@ci/kit/rpc/fault";
import type { Repository, Repository_Forks } from "@ci/proto/builds/v1/repositories";
import type { Collection, Db } from "mongodb";
import { urlKey } from "../domain/repository.js";
import { hookClaims, requested } from "./hooks/hook-claims.js";

export type RepositoryDoc = Stored<Repository> & {
  /** What all its addresses have in common. Older versions do not set it. */
  readonly urlKey?: string;
  readonly sealedSecret: string;
  readonly sealedToken?: string;
  /** Until this time, by the clock of MongoDB, a process holds the registration of the pending hook. */
  readonly hookHeldUntil?: Date;
  /** The same time, if the holder looks at `hookAttempt` afterwards. Holders of an older version do not set it. */
  readonly hookWatchedUntil?: Date;
  readonly hookAttempt?: number;
  /** Attempts of the registration that exceeded the provider's rate limit. */
  readonly hookFailures?: number;
};

/** The state of the hook's registration at the provider. */
type HookState = Pick<RepositoryDoc, "hook" | "hookReason">;

/** A hook that stays pending is due again after a time. */
export type HookOutcome = HookState & { readonly retryInMs?: number };

/** What a user can change. A field that is set to undefined is removed. */
export type RepositoryChange = Partial<
  Pick<
    RepositoryDoc,
    "userId" | "sealedSecret" | "sealedToken" | "hasAccessToken" | "forks" | "cancelSuperseded" | "hook" | "hookReason"
  >
>;

export const forksOf = ({ forks = "approve" }: Pick<RepositoryDoc, "forks">): Repository_Forks => forks;

/** Returns the record of a repository, with defaults for fields that older ones lack. */
export function toRepository(doc: RepositoryDoc): Repository {
  const {
    urlKey: _u,
    sealedSecret: _s,
    sealedToken: _t,
    hookHeldUntil: _h,
    hookWatchedUntil: _w,
    hookAttempt: _a,
    hookFailures: _f,
    ...stored
  } = doc;
  const { forks = "approve", cancelSuperseded = false, hook = "by_hand" } = stored;
  return { ...fromStored<Repository>(stored), forks, cancelSuperseded, hook };
}

const maxReporting = fixedLimit({
  max: 50,
  about: "repositories at the URL of a removed one that report the statuses of its commits again",
  effect: "only the newest do",
});

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
      page(repositories.find({ namespaceId }).sort({ _id: 1 }), number, (options) =>
        repositories.countDocuments({ namespaceId }, options),
      ),

    /** Changes a repository in one write; returns null if it is gone or got another user or access token. */
    change({ _id, namespaceId, userId, hasAccessToken }: RepositoryDoc, change: RepositoryChange) {
      const before = { _id, namespaceId, userId, hasAccessToken };
      if (Object.keys(change).length === 0) return repositories.findOne(before);
      const set = { ...literals(change), ...(change.hook === "pending" ? requested : {}) };
      const removed = undefinedIn(change);
      const update = [{ $set: set }, ...(removed.length > 0 ? [{ $unset: removed }] : [])];
      return repositories.findOneAndUpdate(before, update, { returnDocument: "after" });
    },

    ...hookClaims(repositories),

    /** Returns the newest repositories at a URL that have an access token, up to a limit. */
    reportingAt: (url: string): Promise<number[]> =>
      repositories
        .find({ urlKey: urlKey(url), hasAccessToken: true }, { projection: { _id: 1 } })
        .sort({ _id: -1 })
        .limit(maxReporting)
        .map(({ _id }) => _id)
        .toArray(),

    ...ownership(repositories),

    remove: (id: number): Promise<RepositoryDoc | null> => repositories.findOneAndDelete({ _id: id }),
  };
};

export type RepositoryStore = ReturnType<typeof repositoryStore>;
