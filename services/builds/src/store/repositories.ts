import { fromStored, type Stored } from "@ci/kit/mongo/document";
import { page } from "@ci/kit/mongo/mongo";
import type { Repository } from "@ci/proto/builds/v1/repositories";
import type { Db } from "mongodb";

/** A repository and what must not leave: its secrets, sealed. */
export type RepositoryDoc = Stored<Repository> & {
  readonly sealedSecret: string;
  readonly sealedToken?: string;
};

/** The message of a document. */
export function toRepository({ sealedSecret: _s, sealedToken: _t, ...stored }: RepositoryDoc): Repository {
  return fromStored<Repository>(stored);
}

export const repositoryStore = (db: Db) => {
  const repositories = db.collection<RepositoryDoc>("repositories");
  const idsOf = (filter: { namespaceId: number } | { userId: number }) =>
    repositories
      .find(filter, { projection: { _id: 1 } })
      .limit(100)
      .map(({ _id }) => _id)
      .toArray();

  return {
    async insert(doc: RepositoryDoc): Promise<void> {
      await repositories.insertOne(doc);
    },

    byId: (id: number) => repositories.findOne({ _id: id }),

    /** In order of insertion. */
    list: (namespaceId: number, number: number | undefined) =>
      page(repositories.find({ namespaceId }).sort({ _id: 1 }), number, () =>
        repositories.countDocuments({ namespaceId }),
      ),

    /** Ids of up to 100 repositories of a namespace. */
    idsInNamespace: (namespaceId: number) => idsOf({ namespaceId }),
    /** Ids of up to 100 repositories of a user. */
    idsOfUser: (userId: number) => idsOf({ userId }),

    /** Whether there was one to remove. */
    remove: async (id: number): Promise<boolean> => (await repositories.deleteOne({ _id: id })).deletedCount === 1,
  };
};

export type RepositoryStore = ReturnType<typeof repositoryStore>;
