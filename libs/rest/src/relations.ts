import type { Build } from "@ci/proto/builds/v1/builds";
import type { ResolveRequest, ResolveResponse, User } from "@ci/proto/namespaces/v1/accounts";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";

/** What rendering records as JSON needs: the public base URL, and the users and namespaces that they name. */
export interface Relations {
  /** Without trailing slash. */
  readonly url: string;
  readonly users: ReadonlyMap<number, User>;
  readonly namespaces: ReadonlyMap<number, Namespace>;
  /** Newest build by namespace id; only whole namespace records have it. */
  readonly latest?: ReadonlyMap<number, Build>;
}

/** Builds relations from the responses of Resolve and, for whole namespace records, of GetLatestBuilds. */
export const relationsOf = (
  url: string,
  { users, namespaces }: Pick<ResolveResponse, "users" | "namespaces">,
  latest: readonly Build[] = [],
): Relations => ({
  url: url.replace(/\/+$/, ""),
  users: new Map(users.map((user) => [user.id, user])),
  namespaces: new Map(namespaces.map((namespace) => [namespace.id, namespace])),
  latest: new Map(latest.flatMap((build) => (build.namespaceId === undefined ? [] : [[build.namespaceId, build]]))),
});

/** The fields that refer to users and namespaces. */
export interface References {
  readonly userId?: number;
  readonly authorId?: number;
  readonly inviterId?: number;
  readonly inviteeId?: number;
  readonly namespaceId?: number;
  readonly parentId?: number;
  readonly rootId?: number;
}

const distinct = (ids: readonly (number | undefined)[]): number[] => [
  ...new Set(ids.filter((id): id is number => id !== undefined)),
];

/** Returns the ids that these records name, to be resolved. */
export const relationIds = (records: readonly References[]): ResolveRequest => ({
  userIds: distinct(records.flatMap((record) => [record.userId, record.authorId, record.inviterId, record.inviteeId])),
  namespaceIds: distinct(records.flatMap((record) => [record.namespaceId, record.parentId, record.rootId])),
});
