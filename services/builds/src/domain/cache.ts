import type { Cache } from "@ci/proto/builds/v1/builds";
import type { BuildDoc } from "./build.js";

/** A cache entry. It never changes, except for `usedAt`. */
export interface CacheDoc {
  readonly _id: number;
  /** The root namespace or the user; only their builds may use the entry. */
  readonly owner: string;
  readonly userId: number;
  readonly namespaceId?: number;
  readonly driver: string;
  /** The format, the driver, and for docker the workspace: files from a container are of no use in a virtual machine. */
  readonly platform: string;
  readonly name: string;
  readonly key: string;
  /** Size and SHA-256 of the archive. The blob is compressed. */
  readonly size: number;
  readonly sha256: string;
  readonly storedSize: number;
  readonly blobId: string;
  readonly createdAt: Date;
  readonly usedAt: Date;
}

export const rootOwner = (rootId: number): string => `root/${rootId}`;
export const userOwner = (userId: number): string => `user/${userId}`;

type Owned = Pick<BuildDoc, "userId" | "rootId" | "namespaceOnly" | "origin" | "names">;

/** Returns the owner of a build's caches. None after its namespace was deleted: the build may hold files of its members. */
export function cacheOwner({ userId, rootId, namespaceOnly, origin, names }: Owned): string | undefined {
  if (rootId !== undefined) return rootOwner(rootId);
  const wasInNamespace = namespaceOnly || names?.namespace !== undefined || origin?.deliveryId !== undefined;
  return wasInNamespace || origin?.bare ? undefined : userOwner(userId);
}

const firstFormat = 1;

/** Entries of format 1 may hold objects and keys, which builds of forks must not get. So runners find their own format only. */
export function platformOf({ driver: { type, workspace } }: Pick<BuildDoc, "driver">, format = firstFormat): string {
  const platform = type === "docker" ? `docker ${workspace}` : type;
  return format === firstFormat ? platform : `${format} ${platform}`;
}

/** Reports whether a build may store entries. Builds of forks may only read them. */
export const mayStore = ({ origin }: Pick<BuildDoc, "origin">): boolean => origin?.bare !== true;

/** Returns the public record of an entry. */
export const toCache = ({ _id, owner: _o, platform: _p, sha256: _s, blobId: _b, ...entry }: CacheDoc): Cache => ({
  id: _id,
  ...entry,
});
