import type { Bus } from "@ci/kit/bus/bus";
import { ttlCache } from "@ci/kit/bus/ttl-cache";
import type { ResolveRequest, ResolveResponse, User } from "@ci/proto/namespaces/v1/accounts";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";

interface Asked {
  resolve(ask: ResolveRequest, options?: object): Promise<ResolveResponse>;
}

/** What changes about a user or a namespace comes as an event; this long it may go unheard. */
const trustMs = 1_000;

/** The same client, which asks for the same users and namespaces once in a while, and again after news of any. */
export function rememberingNames<C>(client: C & Asked, bus: Pick<Bus, "connected" | "listen">): C {
  const users = ttlCache<number, User>(bus, trustMs);
  const namespaces = ttlCache<number, Namespace>(bus, trustMs);
  const forget = () => {
    users.forget();
    namespaces.forget();
  };
  for (const kind of ["users", "namespaces"]) bus.listen(kind, forget);
  const resolve: Asked["resolve"] = async ({ userIds, namespaceIds }, options) => {
    const places = namespaceIds.flatMap((id) => namespaces.get(id) ?? []);
    // The answer holds the owners of namespaces too.
    const wanted = [...new Set([...userIds, ...places.map(({ userId }) => userId)])];
    const people = wanted.flatMap((id) => users.get(id) ?? []);
    const open = {
      userIds: wanted.filter((id) => !people.some((user) => user.id === id)),
      namespaceIds: namespaceIds.filter((id) => !places.some((namespace) => namespace.id === id)),
    };
    if (open.userIds.length + open.namespaceIds.length === 0) return { users: people, namespaces: places };
    const [keepUser, keepNamespace] = [users.asking(), namespaces.asking()];
    const answer = await client.resolve(open, options);
    for (const user of answer.users) keepUser(user.id, user);
    for (const namespace of answer.namespaces) keepNamespace(namespace.id, namespace);
    return { users: [...people, ...answer.users], namespaces: [...places, ...answer.namespaces] };
  };
  return { ...client, resolve };
}
