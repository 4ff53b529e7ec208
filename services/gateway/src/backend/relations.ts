import type { Build } from "@ci/proto/builds/v1/builds";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import { type References, type Relations, relationIds } from "@ci/rest/relations";
import type { Context } from "../context.js";

interface Given {
  readonly namespaces?: readonly Namespace[];
  readonly latest?: readonly Build[];
}

/** Returns the users and namespaces that records name, from caches and with at most one call. */
export async function relationsFor(
  ctx: Pick<Context, "accounts" | "users" | "namespaceCache" | "config">,
  records: readonly References[],
  { namespaces: given = [], latest = [] }: Given = {},
): Promise<Relations> {
  const users = new Map<number, User>();
  const namespaces = new Map(given.map((namespace) => [namespace.id, namespace]));
  const ids = relationIds([...records, ...given, ...latest]);
  const namespaceIds = ids.namespaceIds.filter((id) => {
    if (namespaces.has(id)) return false;
    const namespace = ctx.namespaceCache.get(id);
    const owner = namespace && ctx.users.get(namespace.userId);
    if (!namespace || !owner) return true;
    namespaces.set(id, namespace);
    users.set(owner.id, owner);
    return false;
  });
  const userIds = ids.userIds.filter((id) => {
    const user = ctx.users.get(id);
    if (user) users.set(id, user);
    return !user;
  });
  if (userIds.length + namespaceIds.length > 0) {
    const keep = ctx.namespaceCache.asking();
    const resolved = await ctx.accounts.resolve({ userIds, namespaceIds });
    for (const user of resolved.users) {
      ctx.users.keep(user);
      users.set(user.id, user);
    }
    for (const namespace of resolved.namespaces) {
      keep(namespace.id, namespace);
      namespaces.set(namespace.id, namespace);
    }
  }
  const newest = latest.flatMap((build) =>
    build.namespaceId === undefined ? [] : [[build.namespaceId, build] as const],
  );
  return { url: ctx.config.publicUrl, users, namespaces, latest: new Map(newest) };
}
