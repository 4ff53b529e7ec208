import type { Bus } from "@ci/kit/bus/bus";
import { fullPause } from "@ci/kit/bus/full-pause";
import { ttlCache } from "@ci/kit/bus/ttl-cache";
import { sharedReads } from "@ci/kit/turns/shared-reads";

/** How long a service may cache a permission. */
const trustMs = 250;
const topic = "grants";

interface Question {
  readonly userId?: number | undefined;
  readonly action?: string | undefined;
  readonly namespaceIds?: readonly number[] | undefined;
}

interface Memberships {
  readonly rootIds: readonly number[];
}

interface Allowed {
  readonly namespaceIds: readonly number[];
}

interface AccessClient {
  allow(question: Question): Promise<Allowed>;
  listMemberships(request: { readonly userId?: number | undefined }): Promise<Memberships>;
}

/**
 * Caches permissions and memberships for 250 ms. Denials are not cached, so new permissions hold at once. Equal requests at
 * the same time share a response that is no older than any of them. A service that changes a membership awaits
 * `expireGrants` before it confirms the change.
 */
export function cachingGrants<C>(client: C & AccessClient, bus: Pick<Bus, "connected" | "onNudge">): C {
  const grants = ttlCache<string, true>(bus, trustMs);
  const memberships = ttlCache<number | undefined, Memberships>(bus, trustMs);
  bus.onNudge(topic, () => {
    grants.forget();
    memberships.forget();
  });
  const allowing = sharedReads<Allowed>();
  const listing = sharedReads<Memberships>();
  const allow: AccessClient["allow"] = async ({ userId, action, namespaceIds = [] }) => {
    const keyOf = (id: number) => `${userId}/${action}/${id}`;
    const unknown = namespaceIds.filter((id) => !grants.get(keyOf(id)));
    if (unknown.length === 0) return { namespaceIds };
    const keep = grants.asking();
    const question = { userId, action, namespaceIds: unknown };
    const allowed = await allowing(JSON.stringify(question), () => client.allow(question));
    for (const id of allowed.namespaceIds) keep(keyOf(id), true);
    const granted = new Set(allowed.namespaceIds);
    return { namespaceIds: namespaceIds.filter((id) => granted.has(id) || !unknown.includes(id)) };
  };
  const listMemberships: AccessClient["listMemberships"] = async ({ userId }) => {
    const cached = memberships.get(userId);
    if (cached) return cached;
    const keep = memberships.asking();
    const found = await listing(`${userId}`, () => client.listMemberships({ userId }));
    keep(userId, found);
    return found;
  };
  return { ...client, allow, listMemberships };
}

/** Waits until all cached copies of a permission or membership have expired. Await it before confirming its change. */
export async function expireGrants(bus: Pick<Bus, "nudge">): Promise<void> {
  bus.nudge(topic);
  await fullPause(trustMs);
}
