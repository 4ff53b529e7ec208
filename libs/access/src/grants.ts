import { setTimeout as delay } from "node:timers/promises";
import type { Bus } from "@ci/kit/bus/bus";
import { ttlCache } from "@ci/kit/bus/ttl-cache";

/** How long a service may cache a permission. */
const trustMs = 250;
const topic = "grants";

interface Question {
  readonly userId?: number | undefined;
  readonly action?: string | undefined;
  readonly namespaceIds?: readonly number[] | undefined;
}

interface AccessClient {
  allow(question: Question, options?: object): Promise<{ readonly namespaceIds: readonly number[] }>;
}

/** Caches permissions for 250 ms, by user, action and namespace. Denials are not cached, so new permissions hold at once. */
export function cachingGrants<C>(client: C & AccessClient, bus: Pick<Bus, "connected" | "onNudge">): C {
  const grants = ttlCache<string, true>(bus, trustMs);
  bus.onNudge(topic, () => grants.forget());
  const allow: AccessClient["allow"] = async ({ userId, action, namespaceIds = [] }, options) => {
    const keyOf = (id: number) => `${userId}/${action}/${id}`;
    const unknown = namespaceIds.filter((id) => !grants.get(keyOf(id)));
    if (unknown.length === 0) return { namespaceIds };
    const keep = grants.asking();
    const allowed = await client.allow({ userId, action, namespaceIds: unknown }, options);
    for (const id of allowed.namespaceIds) keep(keyOf(id), true);
    const granted = new Set(allowed.namespaceIds);
    return { namespaceIds: namespaceIds.filter((id) => granted.has(id) || !unknown.includes(id)) };
  };
  return { ...client, allow };
}

/** Waits until all cached copies of a revoked permission have expired. Await it before confirming the revocation. */
export async function expireGrants(bus: Pick<Bus, "nudge">): Promise<void> {
  bus.nudge(topic);
  await delay(trustMs);
}
