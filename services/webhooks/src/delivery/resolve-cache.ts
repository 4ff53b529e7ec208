import type { Bus } from "@ci/kit/bus/bus";
import { ttlCache } from "@ci/kit/bus/ttl-cache";
import type { ResolveRequest, ResolveResponse, User } from "@ci/proto/namespaces/v1/accounts";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";

interface Resolver {
  resolve(request: ResolveRequest, options?: object): Promise<ResolveResponse>;
}

/** How long users and namespaces are cached if the event of their change is lost. */
const usualCacheMs = 1_000;

/** Returns the client with a `resolve` that caches users and namespaces until an event says that one has changed. */
export function cachingResolve<C>(
  client: C & Resolver,
  bus: Pick<Bus, "connected" | "listen">,
  cacheMs = usualCacheMs,
): C {
  const userCache = ttlCache<number, User>(bus, cacheMs);
  const namespaceCache = ttlCache<number, Namespace>(bus, cacheMs);
  const forgetAll = () => {
    userCache.forget();
    namespaceCache.forget();
  };
  for (const kind of ["users", "namespaces"]) bus.listen(kind, forgetAll);
  const resolve: Resolver["resolve"] = async ({ userIds, namespaceIds }, options) => {
    const namespaces = namespaceIds.flatMap((id) => namespaceCache.get(id) ?? []);
    // A response contains the owners of its namespaces too.
    const wantedIds = [...new Set([...userIds, ...namespaces.map(({ userId }) => userId)])];
    const users = wantedIds.flatMap((id) => userCache.get(id) ?? []);
    const missing = {
      userIds: wantedIds.filter((id) => !users.some((user) => user.id === id)),
      namespaceIds: namespaceIds.filter((id) => !namespaces.some((namespace) => namespace.id === id)),
    };
    if (missing.userIds.length + missing.namespaceIds.length === 0) return { users, namespaces };
    const [keepUser, keepNamespace] = [userCache.asking(), namespaceCache.asking()];
    const resolved = await client.resolve(missing, options);
    for (const user of resolved.users) keepUser(user.id, user);
    for (const namespace of resolved.namespaces) keepNamespace(namespace.id, namespace);
    return { users: [...users, ...resolved.users], namespaces: [...namespaces, ...resolved.namespaces] };
  };
  return { ...client, resolve };
}
