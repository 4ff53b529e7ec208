import type { Build } from "@ci/proto/builds/v1/builds";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import { type References, type Relations, relationIds } from "@ci/rest/relations";
import type { Context } from "../context.js";

/** What is at hand already and need not be asked for. */
interface AtHand {
  readonly namespaces?: readonly Namespace[];
  readonly latest?: readonly Build[];
}

/**
 * The users and namespaces that records name, for showing them: at most one call, whatever the number of records.
 * What was met lately comes from memory.
 */
export async function known(
  ctx: Pick<Context, "accounts" | "people" | "places" | "config">,
  records: readonly References[],
  { namespaces: given = [], latest = [] }: AtHand = {},
): Promise<Relations> {
  const { people, places } = ctx;
  const users = new Map<number, User>();
  const namespaces = new Map(given.map((namespace) => [namespace.id, namespace]));
  const want = relationIds([...records, ...given, ...latest]);
  const namespaceIds = want.namespaceIds.filter((id) => {
    if (namespaces.has(id)) return false;
    const namespace = places.get(id);
    const owner = namespace && people.get(namespace.userId);
    if (!namespace || !owner) return true;
    namespaces.set(id, namespace);
    users.set(owner.id, owner);
    return false;
  });
  const userIds = want.userIds.filter((id) => {
    const user = people.get(id);
    if (user) users.set(id, user);
    return !user;
  });
  if (userIds.length + namespaceIds.length > 0) {
    const keep = places.asking();
    const resolved = await ctx.accounts.resolve({ userIds, namespaceIds });
    for (const user of resolved.users) {
      people.keep(user);
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
